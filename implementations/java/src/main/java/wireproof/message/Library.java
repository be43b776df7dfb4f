package wireproof.message;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarFile;
import org.apache.kafka.common.protocol.Message;

/** What the jar of kafka-clients says of itself: its version, and the message definitions that it brings along. */
final class Library {
    private static final String DEFINITIONS = "common/message/";
    private static final String JSON = ".json";
    private static final JsonFactory READER =
            JsonFactory.builder().enable(JsonReadFeature.ALLOW_JAVA_COMMENTS).build();

    private Library() {}

    static String version() {
        Properties properties = new Properties();
        try (InputStream in = open("kafka/kafka-version.properties")) {
            properties.load(in);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return properties.getProperty("version");
    }

    /** The names of all messages that are defined, sorted; those without a valid version have no class. */
    static List<String> definitions() {
        try (JarFile jar = new JarFile(jarFile().toFile())) {
            return jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith(DEFINITIONS) && name.endsWith(JSON))
                    .map(name -> name.substring(DEFINITIONS.length(), name.length() - JSON.length()))
                    .sorted()
                    .toList();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Every name in a message's definition: the only place that tells {@code timeoutMs} from {@code TimeoutMs}. */
    static Set<String> namesIn(String definition) {
        Set<String> names = new HashSet<>();
        try (InputStream in = open(DEFINITIONS + definition + JSON);
                JsonParser parser = READER.createParser(in)) {
            while (parser.nextToken() != null) {
                if (parser.currentToken() == JsonToken.FIELD_NAME && parser.getText().equals("name")) {
                    names.add(parser.nextTextValue());
                }
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return names;
    }

    private static Path jarFile() {
        try {
            return Path.of(Message.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException error) {
            throw new IllegalStateException(error);
        }
    }

    private static InputStream open(String resource) throws IOException {
        InputStream in = Message.class.getClassLoader().getResourceAsStream(resource);
        if (in == null) {
            throw new IOException("kafka-clients has no " + resource);
        }
        return in;
    }
}
