package delayscope.interop;

import java.lang.reflect.Method;
import java.net.URI;
import java.util.Date;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
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
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.ClusterServersConfig;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import org.redisson.config.SentinelServersConfig;
import org.redisson.config.SingleServerConfig;
import org.redisson.config.SubscriptionMode;

/** One Redisson client: its connections, its transfer tasks and its consuming threads. */
final class Client {
    /** As long as the tests wait for anything. */
    private static final int PATIENCE_MS = 60_000;

    private final RedissonClient redisson;
    private final Answers answers;
    private final Transfers transfers = new Transfers();
    private final Gate gate = new Gate();
    private volatile boolean leaving;

    /** The name is what the server's list of clients tells; null is none. */
    Client(String url, String name, Answers answers) {
        Config config = new Config();
        BaseConfig<?> servers = led(config, url);
        servers.setClientName(name);
        patient(servers);
        config.setNettyHook(transfers);
        redisson = Redisson.create(config);
        this.answers = answers;
    }

    /** How it is led to the server by that URL: see {@link Peer}. */
    private static BaseConfig<?> led(Config config, String url) {
        URI led = URI.create(url);
        if (led.getScheme().equals("redis")) {
            SingleServerConfig server = config.useSingleServer();
            return server.setAddress(url)
                    .setConnectionMinimumIdleSize(2)
                    .setConnectionPoolSize(32)
                    .setSubscriptionConnectionMinimumIdleSize(1);
        }
        BaseMasterSlaveServersConfig<?> servers;
        if (led.getScheme().equals("sentinel")) {
            SentinelServersConfig sentinels = config.useSentinelServers().setMasterName(led.getAuthority());
            for (String place : led.getPath().substring(1).split(",")) {
                sentinels.addSentinelAddress("redis://" + place);
            }
            servers = sentinels;
        } else {
            ClusterServersConfig cluster = config.useClusterServers();
            for (String place : led.getAuthority().split(",")) {
                cluster.addNodeAddress("redis://" + place);
            }
            servers = cluster;
        }
        // As few connections as it can do with: six nodes would have hundreds.
        servers.setReadMode(ReadMode.MASTER)
                .setSubscriptionMode(SubscriptionMode.MASTER)
                .setMasterConnectionMinimumIdleSize(1)
                .setSlaveConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionMinimumIdleSize(1);
        return servers;
    }

    /**
     * Lets a subscription wait as long as the tests do: on a machine that builds and runs much else, the 7.5 s of
     * newer releases are not always enough. Older ones have no setting for it: there it is what a command may take
     * with all its retries.
     */
    private static void patient(BaseConfig<?> servers) {
        try {
            Method setter = BaseConfig.class.getMethod("setSubscriptionTimeout", int.class);
            setter.invoke(servers, PATIENCE_MS);
        } catch (NoSuchMethodException e) {
            servers.setTimeout(PATIENCE_MS);
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
        background("consume " + queue, () -> {
            started.countDown();
            while (!leaving) {
                take(tag, target);
            }
        });
        started.await();
    }

    /** Takes elements by blocking, as an application that says nothing of each; see {@link #hang}. */
    void handle(String queue, String codec) {
        RBlockingQueue<Object> target = target(queue, codec);
        background("handle " + queue, () -> {
            while (!leaving) {
                try {
                    target.poll(1, TimeUnit.SECONDS);
                    gate.pass();
                } catch (InterruptedException e) {
                    return;
                } catch (RuntimeException e) {
                    log(e);
                }
            }
        });
    }

    /** Lets whoever handles an element of this client not come back from it; its connections stay. */
    void hang() {
        gate.shut();
    }

    /** Lets those who hang go on. */
    void resume() {
        gate.open();
    }

    /**
     * Offers an element each so many ms, as an application does, due after a time of its own between the two; so it
     * transfers too.
     */
    void stream(String queue, String codec, long every, long least, long most) {
        RDelayedQueue<Object> delayed = redisson.getDelayedQueue(target(queue, codec));
        background("stream " + queue, () -> {
            for (int number = 1; !leaving; number++) {
                long delay = ThreadLocalRandom.current().nextLong(least, most + 1);
                try {
                    TimeUnit.MILLISECONDS.sleep(every);
                    delayed.offer("{\"from\":\"" + queue + "\",\"number\":" + number + "}",
                            delay, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    return;
                } catch (RuntimeException e) {
                    log(e);
                }
            }
        });
    }

    private static void background(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void log(RuntimeException e) {
        if (!leaving) {
            e.printStackTrace();
        }
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
        gate.open();
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
