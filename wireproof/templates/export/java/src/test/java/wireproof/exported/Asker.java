// SPDX-License-Identifier: Apache-2.0. @versions@.

package wireproof.exported;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks one question at a time. What is thrown is a refusal or a crash; so is an answer that does not come. */
final class Asker {
    private static final long PATIENCE = Long.getLong("wireproof.patience", 10);
    /** Ops that answer every input. */
    private static final Set<String> WITHOUT_REFUSAL = Set.of("serve", "interpret", "negotiate");

    private final Implementation implementation;
    private ExecutorService worker = newWorker();

    Asker(Implementation implementation) {
        this.implementation = implementation;
    }

    private static ExecutorService newWorker() {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "implementation");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Ask an op of a line. given: the line itself, or its twin. */
    Seen ask(Line line, String op, JsonNode given) {
        String type = line.has("type") ? line.get("type").textValue() : null;
        return ask(line, op, new Implementation.Form(line.dialect(), type, version(given)), given);
    }

    private static Integer version(JsonNode given) {
        return given.has("version") ? given.get("version").intValue() : null;
    }

    /** Decode bytes as a type. */
    Seen decode(Implementation.Form form, byte[] data) {
        return within(() -> Seen.answered(implementation.decode(form, data)), "decode");
    }

    private Seen ask(Line line, String op, Implementation.Form form, JsonNode given) {
        return within(() -> Seen.answered(call(line, op, form, given)), op);
    }

    private interface Question {
        Seen ask() throws Exception;
    }

    private Seen within(Question question, String op) {
        var answer = worker.submit(() -> {
            try {
                return question.ask();
            } catch (Throwable error) {
                return thrown(error, op);
            }
        });
        try {
            return answer.get(PATIENCE, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            worker.shutdownNow();
            worker = newWorker();
            return Seen.crashed("no answer within " + PATIENCE + " s");
        } catch (InterruptedException | ExecutionException error) {
            throw new IllegalStateException(error);
        }
    }

    private Object call(Line line, String op, Implementation.Form form, JsonNode given) throws Exception {
        String dialect = line.dialect();
        switch (op) {
            case "decode":
                return implementation.decode(form, bytes(given));
            case "encode":
                return implementation.encode(form, Values.parse(given.get("value")));
            case "recode":
                return implementation.recode(form, bytes(given));
            case "lookup":
                return implementation.lookup(form, bytes(given), line.value("key"));
            case "convert":
                return implementation.convert(form, bytes(given), line.value("to"));
            case "consume":
                return implementation.consume(dialect, fetch(given));
            case "produce": // batches would have to be read here
                throw new NotOffered("produce");
            case "evolve":
                return implementation.evolve(dialect, given.get("old").toString(), given.get("new").toString());
            case "serve":
                List<?> chunks = (List<?>) line.value("chunks");
                return implementation.serve(dialect, chunks.stream().map(byte[].class::cast).toList());
            case "interpret":
                return implementation.interpret(dialect, (byte[]) line.value("request"), (byte[]) line.value("response"));
            default:
                Number apiKey = (Number) line.value("api_key");
                return implementation.negotiate(dialect, apiKey, range(line.get("client")), range(line.get("broker")));
        }
    }

    private static byte[] bytes(JsonNode given) {
        return Values.octets(given.get("bytes").textValue());
    }

    private static Implementation.Fetch fetch(JsonNode given) {
        List<Implementation.Aborted> aborted = new ArrayList<>();
        for (JsonNode one : given.get("aborted")) {
            aborted.add(new Implementation.Aborted(number(one.get("producer_id")), number(one.get("first_offset"))));
        }
        String isolation = given.get("isolation").textValue();
        return new Implementation.Fetch(bytes(given), number(given.get("position")), isolation, aborted);
    }

    private static long number(JsonNode json) {
        return ((Number) Values.parse(json)).longValue();
    }

    private static int[] range(JsonNode pair) {
        return pair.isNull() ? null : new int[] {pair.get(0).intValue(), pair.get(1).intValue()};
    }

    private Seen thrown(Throwable error, String op) {
        if (error instanceof NotOffered absent) {
            return new Seen(Seen.Kind.NOT_OFFERED, null, absent.getMessage(), null, false);
        }
        boolean half = error instanceof ReadOnly;
        boolean refuses = half || error instanceof Refused || implementation.isRefusal(error);
        if (refuses && !WITHOUT_REFUSAL.contains(op)) {
            String reason = error instanceof Refused refused ? refused.reason() : null;
            return new Seen(Seen.Kind.REFUSED, null, String.valueOf(error.getMessage()), reason, half);
        }
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        return Seen.crashed(trace.toString());
    }
}
