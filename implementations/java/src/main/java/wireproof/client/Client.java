package wireproof.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.ApiVersions;
import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.ManualMetadataUpdater;
import org.apache.kafka.clients.MetadataUpdater;
import org.apache.kafka.clients.NetworkClient;
import org.apache.kafka.clients.NodeApiVersions;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.network.Selectable;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import wireproof.NotOffered;
import wireproof.codec.Framing;

/**
 * What clients of kafka-clients do with versions and responses: {@code NodeApiVersions} chooses, {@code NetworkClient}
 * sends the request of a question, and gets its response.
 */
public final class Client {
    private static final Node NODE = new Node(0, "127.0.0.1", 9092);
    /** Milliseconds, and for sizes more than any that is asked here. */
    private static final int LONG = 1_000_000;

    private Client() {}

    /** The version that is used of an api, null where there is none. The ranges are [lowest, highest]; null: not listed. */
    public static Integer negotiate(int key, int[] client, int[] broker) {
        ApiKeys api = api(key);
        List<ApiVersion> listed = broker == null
                ? List.of()
                : List.of(new ApiVersion()
                        .setApiKey(api.id)
                        .setMinVersion((short) broker[0])
                        .setMaxVersion((short) broker[1]));
        try {
            return (int) new NodeApiVersions(listed, List.of())
                    .latestUsableVersion(api, (short) client[0], (short) client[1]);
        } catch (UnsupportedVersionException none) {
            return null;
        }
    }

    /**
     * The outcome of a request and its response, both with their sizes; null is a connection that was closed. What the
     * client's poll throws comes out.
     */
    public static Outcome interpret(byte[] request, byte[] response) throws ReflectiveOperationException {
        ByteBuffer asked = ByteBuffer.wrap(request, Framing.SIZE_LENGTH, request.length - Framing.SIZE_LENGTH);
        ApiKeys api = api(asked.getShort(asked.position()));
        short version = asked.getShort(asked.position() + Short.BYTES);
        if (!api.isVersionSupported(version)) {
            throw new NotOffered("kafka-clients has no version " + version + " of " + api.name);
        }
        RequestHeader header = RequestHeader.parse(asked);
        Connection connection = new Connection(NODE.idString());
        return api == ApiKeys.API_VERSIONS
                ? ofVersions(connection, header, response)
                : ofOthers(connection, header, asked, response);
    }

    /** ApiVersions is the client's own request on a new connection; it comes to its version as brokers lead it there. */
    private static Outcome ofVersions(Connection connection, RequestHeader asked, byte[] response)
            throws ReflectiveOperationException {
        boolean older = asked.apiVersion() < ApiKeys.API_VERSIONS.latestVersion();
        ApiVersions known = new ApiVersions();
        NetworkClient client = open(connection, known, true);
        Field next = NetworkClient.class.getDeclaredField("correlation");
        next.setAccessible(true);
        next.setInt(client, asked.correlationId() - (older ? 1 : 0));
        client.poll(0, now());
        if (older) {
            connection.receive(errorOfVersions(asked.correlationId() - 1, asked.apiVersion()));
            client.poll(0, now());
        }
        int before = connection.sent().size();
        give(connection, response);
        client.poll(0, now());
        if (connection.sent().size() > before) {
            return Outcome.retry(connection.sent().get(before).getShort(Framing.SIZE_LENGTH + Short.BYTES));
        }
        if (known.get(NODE.idString()) != null) {
            return Outcome.ACCEPTED;
        }
        if (response == null) {
            return Outcome.CLOSED;
        }
        if (!connection.isClosed()) {
            throw new IllegalStateException("NetworkClient neither goes on nor closes the connection");
        }
        // It tells why in its log alone: its parser says which error that was.
        return ofError(read(response, asked), ApiKeys.API_VERSIONS);
    }

    private static Outcome ofOthers(Connection connection, RequestHeader asked, ByteBuffer body, byte[] response)
            throws ReflectiveOperationException {
        ApiKeys api = asked.apiKey();
        AbstractRequest request = AbstractRequest.parseRequest(api, asked.apiVersion(), new ByteBufferAccessor(body)).request;
        NetworkClient client = open(connection, new ApiVersions(), false);
        client.poll(0, now());
        List<ClientResponse> answers = new ArrayList<>();
        client.send(
                new ClientRequest(
                        NODE.idString(),
                        new AbstractRequest.Builder<>(api, asked.apiVersion()) {
                            @Override
                            public AbstractRequest build(short version) {
                                return request;
                            }
                        },
                        asked.correlationId(),
                        asked.clientId(),
                        now(),
                        true,
                        LONG,
                        answers::add),
                now());
        client.poll(0, now());
        give(connection, response);
        client.poll(0, now());
        return answers.get(0).hasResponse() ? ofError(answers.get(0).responseBody(), api) : Outcome.CLOSED;
    }

    private static void give(Connection connection, byte[] response) {
        if (response == null) {
            connection.end();
        } else {
            connection.receive(response);
        }
    }

    /** The outcome by the field ErrorCode of the body itself, which is what a client looks at first. */
    private static Outcome ofError(AbstractResponse response, ApiKeys api) throws ReflectiveOperationException {
        ApiMessage data = response.data();
        short code;
        try {
            code = (short) data.getClass().getMethod("errorCode").invoke(data);
        } catch (NoSuchMethodException none) {
            return Outcome.ACCEPTED;
        }
        if (code == Errors.NONE.code()) {
            return Outcome.ACCEPTED;
        }
        return code == Errors.UNSUPPORTED_VERSION.code()
                ? Outcome.unsupported(api.name + "Request")
                : Outcome.error(code);
    }

    private static AbstractResponse read(byte[] response, RequestHeader asked) {
        return NetworkClient.parseResponse(
                ByteBuffer.wrap(response, Framing.SIZE_LENGTH, response.length - Framing.SIZE_LENGTH).slice(), asked);
    }

    /** Error 35 in a response of version 0, which lists ApiVersions from 0 on. */
    private static byte[] errorOfVersions(int correlationId, short highest) {
        ByteBuffer bytes = ByteBuffer.allocate(20);
        bytes.putInt(16).putInt(correlationId).putShort(Errors.UNSUPPORTED_VERSION.code());
        bytes.putInt(1).putShort(ApiKeys.API_VERSIONS.id).putShort((short) 0).putShort(highest);
        return bytes.array();
    }

    private static ApiKeys api(int key) {
        if (!ApiKeys.hasId(key)) {
            throw new NotOffered("kafka-clients has no api " + key);
        }
        return ApiKeys.forId(key);
    }

    private static long now() {
        return System.currentTimeMillis();
    }

    /** A client whose connection is under way; `asksVersions`: it begins with ApiVersions. */
    private static NetworkClient open(Connection connection, ApiVersions known, boolean asksVersions)
            throws ReflectiveOperationException {
        NetworkClient client = make(connection, known, asksVersions);
        client.ready(NODE, now());
        return client;
    }

    /** By the constructor with a selector and a MetadataUpdater, whose other parameters differ between releases. */
    private static NetworkClient make(Connection connection, ApiVersions known, boolean asksVersions)
            throws ReflectiveOperationException {
        Constructor<?> constructor = Stream.of(NetworkClient.class.getConstructors())
                .filter(one -> one.getParameterTypes()[0] == Selectable.class
                        && one.getParameterTypes()[1] == MetadataUpdater.class)
                .findFirst()
                .orElseThrow();
        List<Object> arguments = new ArrayList<>();
        for (Class<?> type : constructor.getParameterTypes()) {
            if (type == Selectable.class) {
                arguments.add(connection);
            } else if (type == MetadataUpdater.class) {
                arguments.add(new ManualMetadataUpdater(List.of(NODE)));
            } else if (type == ApiVersions.class) {
                arguments.add(known);
            } else if (type == boolean.class) {
                arguments.add(asksVersions && !arguments.contains(true));
            } else if (type == int.class) {
                arguments.add(LONG);
            } else if (type == long.class) {
                arguments.add((long) LONG);
            } else {
                arguments.add(usual(type));
            }
        }
        return (NetworkClient) constructor.newInstance(arguments.toArray());
    }

    /** A new object of a class, or its first constant: of enumerations and settings that is what changes nothing. */
    private static Object usual(Class<?> type) throws ReflectiveOperationException {
        for (Field field : type.getFields()) {
            if (field.getType() == type) {
                return field.get(null);
            }
        }
        return type.getConstructor().newInstance();
    }
}
