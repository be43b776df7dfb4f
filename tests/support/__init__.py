"""What several tests share: helpers, planted codecs, runs of the kit in processes of their own."""
