package wireproof.codec;

import org.apache.kafka.common.protocol.Message;

/** A message and the version that stands before it. */
record PrefixedMessage(short version, Message body) {}
