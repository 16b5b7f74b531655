package delayscope.interop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.LongCodec;
import org.redisson.client.codec.StringCodec;
import org.redisson.codec.JsonJacksonCodec;
import org.redisson.codec.Kryo5Codec;
import org.redisson.codec.SerializationCodec;
import org.redisson.codec.TypedJsonJacksonCodec;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

/** One Redisson client: its connections, its transfer tasks and its consuming threads. */
final class Client {
    /** As long as the tests wait for anything. */
    private static final int PATIENCE_MS = 60_000;

    private final RedissonClient redisson;
    private final Answers answers;
    private final Transfers transfers = new Transfers();
    private final List<Thread> consumers = new ArrayList<>();
    private volatile boolean leaving;

    Client(String url, Answers answers) {
        Config config = new Config();
        SingleServerConfig server = config.useSingleServer();
        server.setAddress(url)
                .setConnectionMinimumIdleSize(2)
                .setConnectionPoolSize(32)
                .setSubscriptionConnectionMinimumIdleSize(1);
        patient(server);
        config.setNettyHook(transfers);
        redisson = Redisson.create(config);
        this.answers = answers;
    }

    /**
     * Lets a subscription wait as long as the tests do: on a machine that builds and runs much else, the 7.5 s of
     * newer releases are not always enough. Older ones have no setting for it: there it is what a command may take
     * with all its retries.
     */
    private static void patient(SingleServerConfig server) {
        try {
            Method setter = BaseConfig.class.getMethod("setSubscriptionTimeout", int.class);
            setter.invoke(server, PATIENCE_MS);
        } catch (NoSuchMethodException e) {
            server.setTimeout(PATIENCE_MS);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Offers each {@code delay-ms:hex}. Whoever holds the delayed queue transfers it too, so a client that shall
     * only offer has to leave before the first entry is due.
     */
    int offer(String queue, String codec, String[] words, int first) {
        RDelayedQueue<Object> delayed = redisson.getDelayedQueue(target(queue, codec));
        for (int i = first; i < words.length; i++) {
            int colon = words[i].indexOf(':');
            long delay = Long.parseLong(words[i].substring(0, colon));
            delayed.offer(Hex.text(words[i].substring(colon + 1)), delay, TimeUnit.MILLISECONDS);
        }
        return words.length - first;
    }

    /** Transfers what falls due, for as long as the client lives. */
    void work(String queue, String codec) {
        redisson.getDelayedQueue(target(queue, codec));
    }

    /** Tells each transfer from now on, with the times at which it was asked for and answered. */
    void watch(String tag, String queue) {
        transfers.tell(queue, (until, asked, answered, port) ->
                answers.say(tag, "transfer", until, asked, answered, port));
    }

    /** Takes elements by blocking, and tells each with the time of its arrival. */
    void consume(String tag, String queue, String codec) throws InterruptedException {
        RBlockingQueue<Object> target = target(queue, codec);
        CountDownLatch started = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            started.countDown();
            while (!leaving) {
                take(tag, target);
            }
        }, "consume " + queue);
        thread.setDaemon(true);
        consumers.add(thread);
        thread.start();
        started.await();
    }

    private void take(String tag, RBlockingQueue<Object> target) {
        try {
            Object value = target.poll(1, TimeUnit.SECONDS);
            if (value != null) {
                long at = System.currentTimeMillis();
                answers.say(tag, "took", at, value.getClass().getName(), Hex.of(value.toString()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            if (!leaving) {
                answers.failed(tag, e);
            }
        }
    }

    /** Takes what is there, at most so many at once: each with its class. */
    String takeAll(String queue, String codec, int most) {
        StringBuilder taken = new StringBuilder();
        for (Object value : target(queue, codec).poll(most)) {
            String name = value == null ? "null" : value.getClass().getName();
            taken.append(taken.length() == 0 ? "" : " ").append(name).append(':').append(Hex.of(said(value)));
        }
        return taken.toString();
    }

    /** The same text in every time zone. */
    private static String said(Object value) {
        return String.valueOf(value instanceof Date ? ((Date) value).getTime() : value);
    }

    /** Ends the client; what it had not transferred stays where it is. */
    void leave() {
        leaving = true;
        redisson.shutdown(0, 2, TimeUnit.SECONDS);
    }

    private <T> RBlockingQueue<T> target(String queue, String codec) {
        return redisson.getBlockingQueue(queue, codec(codec));
    }

    private static Codec codec(String name) {
        try {
            return ofName(name);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("no codec " + name + " in this release", e);
        }
    }

    private static Codec ofName(String name) throws ReflectiveOperationException {
        switch (name) {
            case "string":
                return new StringCodec();
            case "json":
                return new JsonJacksonCodec();
            case "kryo5":
                return new Kryo5Codec();
            case "long":
                return new LongCodec();
            case "typed-json":
                return new TypedJsonJacksonCodec(Object.class);
            case "serialization":
                return new SerializationCodec();
            // Not in every release.
            case "marshalling":
                return (Codec) Class.forName("org.redisson.codec.MarshallingCodec").getConstructor().newInstance();
            case "json3":
                return (Codec) Class.forName("org.redisson.codec.JsonJackson3Codec").getConstructor().newInstance();
            default:
                throw new IllegalArgumentException("unknown codec " + name);
        }
    }
}
