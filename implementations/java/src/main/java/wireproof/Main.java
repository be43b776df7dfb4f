package wireproof;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import wireproof.codec.Codecs;
import wireproof.codec.GeneratedCodecs;
import wireproof.codec.SchemaCodecs;
import wireproof.line.Conversation;

/** kafka-clients behind Wireproof's line protocol, on stdin and stdout. */
public final class Main {
    private static final String USAGE = "usage: wrapper [--kafka=VERSION] [--codec=generated|schema]";

    private Main() {}

    public static void main(String[] arguments) {
        Codecs codecs = codecs(arguments.length == 0 ? "--codec=generated" : String.join(" ", arguments));
        if (codecs == null) {
            System.err.println(USAGE);
            System.exit(2);
        }
        System.setOut(System.err); // stdout is the protocol's alone
        try (FileInputStream in = new FileInputStream(FileDescriptor.in);
                FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            new Conversation(codecs, in, out).run();
        } catch (IOException | BadQuestion error) {
            System.err.println("the conversation broke off: " + error.getMessage());
            System.exit(1);
        }
    }

    private static Codecs codecs(String argument) {
        return switch (argument) {
            case "--codec=generated" -> new GeneratedCodecs();
            case "--codec=schema" -> new SchemaCodecs();
            default -> null;
        };
    }
}
