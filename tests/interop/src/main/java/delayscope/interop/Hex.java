package delayscope.interop;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Text as the hex of its UTF-8 bytes: one word of a protocol line, whatever the text holds. */
final class Hex {
    private static final String DIGITS = "0123456789abcdef";

    private Hex() {
    }

    static String of(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        StringBuilder hex = new StringBuilder(2 * bytes.length);
        for (byte b : bytes) {
            hex.append(DIGITS.charAt(b >> 4 & 15)).append(DIGITS.charAt(b & 15));
        }
        return hex.toString();
    }

    static String text(String hex) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(hex.length() / 2);
        for (int i = 0; i < hex.length(); i += 2) {
            bytes.write(Integer.parseInt(hex.substring(i, i + 2), 16));
        }
        return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    }
}
