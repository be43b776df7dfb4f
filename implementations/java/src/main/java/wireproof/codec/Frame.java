package wireproof.codec;

import org.apache.kafka.common.protocol.ApiMessage;

/** A frame's two parts, each with the version at which it is written. */
record Frame(ApiMessage header, short headerVersion, ApiMessage body, short version) {}
