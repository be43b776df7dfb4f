import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * INT32 decode behind the line protocol, in Java without a library: right answers, but at the question {@code ffffffff}
 * it does what its argument names. {@code says-nothing} describes nothing either.
 */
public final class Unruly {
    private static final String CULPRIT = "ffffffff";
    private static final int MEBIBYTE = 1 << 20;
    private static final Pattern SEQ = Pattern.compile("\"seq\": *(\\d+)");
    private static final Pattern DATA = Pattern.compile("\"data\": *\"([0-9a-f]*)\"");
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private static String kept;

    private static void hang() throws IOException, InterruptedException {
        String path = System.getenv("PROGRAMS_HANGING");
        if (path != null) {
            String pid = ProcessHandle.current().pid() + "\n";
            Files.writeString(Path.of(path), pid, StandardOpenOption.APPEND);
        }
        while (true) {
            Thread.sleep(60_000);
        }
    }

    private static void eat() {
        List<byte[]> all = new ArrayList<>();
        while (true) {
            byte[] piece = new byte[MEBIBYTE];
            Arrays.fill(piece, (byte) 1);
            all.add(piece);
        }
    }

    private static void flood() {
        byte[] piece = new byte[MEBIBYTE];
        Arrays.fill(piece, (byte) 'x');
        for (int count = 0; count < 100; count++) {
            OUT.write(piece, 0, piece.length);
        }
    }

    /** Says each pair of answers in reverse. */
    private static void shuffle(String right) {
        if (kept == null) {
            kept = right;
            return;
        }
        OUT.println(right);
        OUT.println(kept);
        kept = null;
    }

    private static void misbehave(String manner, String right) throws IOException, InterruptedException {
        switch (manner) {
            case "halts" -> Runtime.getRuntime().halt(134);
            case "exits" -> System.exit(3);
            case "throws" -> throw new IllegalStateException("nobody catches this");
            case "hangs" -> hang();
            case "eats" -> eat();
            case "floods" -> flood();
            case "prints" -> OUT.println("decoding …");
            case "twice" -> {
                OUT.println(right);
                OUT.println(right);
            }
            default -> throw new IllegalArgumentException(manner);
        }
    }

    private static String member(Pattern pattern, String line) {
        Matcher found = pattern.matcher(line);
        if (!found.find()) {
            throw new IllegalArgumentException(line);
        }
        return found.group(1);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        String manner = arguments[0];
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.contains("\"describe\"")) {
                if (manner.equals("says-nothing")) {
                    hang();
                }
                OUT.println("{\"name\":\"unruly\",\"language\":\"java\",\"ops\":[\"decode\"],"
                        + "\"types\":{\"kafka\":{\"INT32\":null}}}");
                continue;
            }
            String data = member(DATA, line);
            int value = Integer.parseUnsignedInt(data, 16);
            String right = "{\"seq\":" + member(SEQ, line) + ",\"value\":" + value + "}";
            if (manner.equals("shuffles")) {
                shuffle(right);
            } else if (data.equals(CULPRIT)) {
                misbehave(manner, right);
            } else {
                OUT.println(right);
            }
        }
    }
}
