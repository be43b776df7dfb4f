"""Log segments: `segments` finds the batches, `batches` judges them; `columns` and `messages` are its fast ways for
plain records; `order` follows the offsets from batch to batch."""
