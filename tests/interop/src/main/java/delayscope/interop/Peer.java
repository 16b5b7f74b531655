package delayscope.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;

/**
 * The Redisson side of the interop tests: does what the lines on stdin ask for, each in a thread of its own, and
 * answers on stdout. Ends when stdin ends, at the latest after {@code --seconds}, so that it never outlives a test.
 *
 * <pre>
 * TAG connect CLIENT [NAME]                       TAG connected
 * TAG offer   CLIENT QUEUE CODEC DELAY_MS:HEX...  TAG offered COUNT
 * TAG work    CLIENT QUEUE CODEC                  TAG working
 * TAG watch   CLIENT QUEUE                        TAG watching, then for each transfer: TAG transfer UNTIL_MS
 *                                                 ASKED_MS ANSWERED_MS PORT
 * TAG consume CLIENT QUEUE CODEC                  TAG consuming, then for each: TAG took EPOCH_MS CLASS HEX
 * TAG handle  CLIENT QUEUE CODEC                  TAG handling: takes as an application does, without a word
 * TAG hang    CLIENT                              TAG hung: who handles does not come back from the next element
 * TAG resume  CLIENT                              TAG resumed
 * TAG stream  CLIENT QUEUE CODEC EVERY_MS LEAST_DELAY_MS MOST_DELAY_MS
 *                                                 TAG streaming: offers, and so transfers, until the client leaves
 * TAG take    CLIENT QUEUE CODEC MOST             TAG taken, and for each: CLASS:HEX
 * TAG leave   CLIENT                              TAG left
 * </pre>
 *
 * Whatever goes wrong answers {@code TAG failed WHY}; the first line of all is {@code - ready VERSION}.
 */
public final class Peer {
    private final String url;
    private final Answers answers = new Answers();
    private final Map<String, Client> clients = new ConcurrentHashMap<>();

    private Peer(String url) {
        this.url = url;
    }

    /**
     * Arguments: {@code URL --seconds N}; a URL is {@code redis://HOST:PORT}, {@code sentinel://NAME/HOST:PORT,...} or
     * {@code cluster://HOST:PORT,...}.
     */
    public static void main(String[] args) throws IOException {
        if (args.length != 3 || !args[1].equals("--seconds")) {
            System.err.println("usage: Peer URL --seconds N");
            System.exit(2);
        }
        endAfter(Long.parseLong(args[2]));
        new Peer(args[0]).serve();
        // Without waiting for Redisson's threads: nobody listens any more.
        Runtime.getRuntime().halt(0);
    }

    private static void endAfter(long seconds) {
        Thread end = new Thread(() -> {
            try {
                TimeUnit.SECONDS.sleep(seconds);
            } catch (InterruptedException e) {
                return;
            }
            Runtime.getRuntime().halt(3);
        }, "end");
        end.setDaemon(true);
        end.start();
    }

    private void serve() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ExecutorService each = Executors.newCachedThreadPool();
        answers.say("-", "ready", version());
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            each.execute(() -> answer(words));
        }
    }

    private void answer(String[] words) {
        try {
            act(words[0], words);
        } catch (Exception | LinkageError e) {
            answers.failed(words[0], e);
        }
    }

    private void act(String tag, String[] words) throws InterruptedException {
        switch (words[1]) {
            case "connect":
                clients.put(words[2], new Client(url, words.length > 3 ? words[3] : null, answers));
                answers.say(tag, "connected");
                break;
            case "offer":
                answers.say(tag, "offered", client(words).offer(words[3], words[4], words, 5));
                break;
            case "work":
                client(words).work(words[3], words[4]);
                answers.say(tag, "working");
                break;
            case "watch":
                client(words).watch(tag, words[3]);
                answers.say(tag, "watching");
                break;
            case "consume":
                client(words).consume(tag, words[3], words[4]);
                answers.say(tag, "consuming");
                break;
            case "handle":
                client(words).handle(words[3], words[4]);
                answers.say(tag, "handling");
                break;
            case "hang":
                client(words).hang();
                answers.say(tag, "hung");
                break;
            case "resume":
                client(words).resume();
                answers.say(tag, "resumed");
                break;
            case "stream":
                client(words).stream(words[3], words[4], Long.parseLong(words[5]), Long.parseLong(words[6]),
                        Long.parseLong(words[7]));
                answers.say(tag, "streaming");
                break;
            case "take":
                answers.say(tag, "taken", client(words).takeAll(words[3], words[4], Integer.parseInt(words[5])));
                break;
            case "leave":
                client(words).leave();
                clients.remove(words[2]);
                answers.say(tag, "left");
                break;
            default:
                throw new IllegalArgumentException("unknown request " + words[1]);
        }
    }

    private Client client(String[] words) {
        Client client = clients.get(words[2]);
        if (client == null) {
            throw new IllegalArgumentException("no client " + words[2]);
        }
        return client;
    }

    /** The version that is really on the class path. */
    private static String version() throws IOException {
        String path = "/META-INF/maven/org.redisson/redisson/pom.properties";
        try (InputStream in = Redisson.class.getResourceAsStream(path)) {
            if (in == null) {
                return "unknown";
            }
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version");
        }
    }
}
