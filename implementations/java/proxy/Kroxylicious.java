import io.kroxylicious.proxy.KafkaProxy;
import io.kroxylicious.proxy.config.ConfigParser;
import io.kroxylicious.proxy.config.Configuration;
import io.kroxylicious.proxy.internal.config.Features;

/** Kroxylicious without filters, from LISTEN to UPSTREAM, each HOST:PORT, until standard input ends. */
public final class Kroxylicious {
    private static final String SETTINGS = """
            virtualClusters:
              kit:
                targetCluster:
                  bootstrap_servers: %s
                clusterNetworkAddressConfigProvider:
                  type: PortPerBrokerClusterNetworkAddressConfigProvider
                  config:
                    bootstrapAddress: %s
            """;

    public static void main(String[] arguments) throws Exception {
        ConfigParser parser = new ConfigParser();
        Configuration settings = parser.parseConfiguration(SETTINGS.formatted(arguments[1], arguments[0]));
        try (KafkaProxy proxy = new KafkaProxy(parser, settings, Features.defaultFeatures())) {
            proxy.startup();
            while (System.in.read() >= 0) {
                // It is told nothing there.
            }
        }
        System.exit(0);
    }
}
