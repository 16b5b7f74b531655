package delayscope.interop;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.redisson.client.NettyHook;

/**
 * A client's own times of its transfers: reads what its connections send and receive, as Redisson tells nobody when
 * it transfers.
 */
final class Transfers implements NettyHook {
    /** Hears of each transfer, all in epoch ms. */
    interface Listener {
        /** Everything due until then was asked for, and answered, on the connection from that port. */
        void transferred(long until, long asked, long answered, int port);
    }

    private volatile Listener listener;
    private volatile String timeouts;

    /** Tells each transfer of that queue from now on. */
    void tell(String queue, Listener to) {
        timeouts = "redisson_delay_queue_timeout:{" + queue + "}";
        listener = to;
    }

    @Override
    public void afterBoostrapInitialization(Bootstrap bootstrap) {
        // Nothing is to be changed.
    }

    @Override
    public void afterChannelInitialization(Channel channel) {
        // Next to the socket, where commands are bytes.
        channel.pipeline().addFirst(new Connection());
    }

    /** One connection; the worker of a queue has one transfer under way at a time. */
    private final class Connection extends ChannelDuplexHandler {
        /** The time up to which the transfer under way asks; negative when there is none. */
        private long until = -1;
        private long asked;

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            if (listener != null && message instanceof ByteBuf) {
                until = untilOf(((ByteBuf) message).toString(StandardCharsets.ISO_8859_1));
                asked = System.currentTimeMillis();
            }
            context.write(message, promise);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (until >= 0 && message instanceof ByteBuf) {
                long answered = System.currentTimeMillis();
                // An error has transferred nothing: the script is sent again, whole.
                if (((ByteBuf) message).getByte(((ByteBuf) message).readerIndex()) != '-') {
                    listener.transferred(until, asked, answered, portOf(context.channel()));
                }
                until = -1;
            }
            context.fireChannelRead(message);
        }
    }

    private static int portOf(Channel channel) {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** The first argument of the transfer script, which has two; negative when this is another command. */
    private long untilOf(String command) {
        String[] lines = command.split("\r\n");
        boolean isOne = lines.length > 6
                && command.contains("\r\nEVAL")
                && command.contains(timeouts)
                && lines[lines.length - 1].equals("100");
        return isOne ? Long.parseLong(lines[lines.length - 3]) : -1;
    }
}
