package delayscope.interop;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Writes answer lines to stdout, whole ones, from any thread. */
final class Answers {
    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    /** One line: the tag of the request it answers, a word, and what belongs to it. */
    synchronized void say(String tag, String word, Object... rest) {
        StringBuilder line = new StringBuilder(tag).append(' ').append(word);
        for (Object part : rest) {
            line.append(' ').append(part);
        }
        out.println(line);
        out.flush();
    }

    void failed(String tag, Throwable why) {
        why.printStackTrace();
        Throwable root = why;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        say(tag, "failed", root.toString().replaceAll("\\s+", " "));
    }
}
