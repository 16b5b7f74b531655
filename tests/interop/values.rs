//! Texts that codecs and frames are likeliest to stumble over.

/// The codecs, by their names on both sides: ours, and the Java side's.
pub const CODECS: [(&str, &str); 3] = [("text", "string"), ("json", "json"), ("kryo5", "kryo5")];

/// Texts of every kind and length; some of them equal, since equal ones must all arrive.
pub fn awkward() -> Vec<String> {
    let mut all: Vec<String> = [
        "",
        "hello",
        "hello",
        "a",
        "ab",
        "naïve café, Grüße aus Köln",
        "日本語のテキスト",
        "\u{1f980}\u{1f680} and \u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}",
        "quote \" backslash \\ slash / apostrophe '",
        " blanks around ",
        "tab\there",
        "two\nlines\r\nand more",
        "bell \u{7} and escape \u{1b}[31m",
        "0",
        "12345",
        "12345",
        "-7",
        "3.14",
        "9223372036854775808",
        "true",
        "null",
        "{\"id\":42,\"tags\":[\"x\"]}",
        "[\"java.lang.Long\",1]",
        "\"quoted\"",
    ]
    .map(str::to_owned)
    .to_vec();
    // Around the lengths at which Kryo and the frame's length field take another byte.
    for len in [31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 300] {
        all.push("x".repeat(len));
    }
    all.push("é".repeat(300));
    all.push("0123456789".repeat(1024));
    all.push("\u{1f980}".repeat(2560));
    all
}

/// `count` short texts, all different, told apart by who offers them.
pub fn numbered(who: &str, count: usize) -> Vec<String> {
    (1..=count).map(|n| format!("{who} {n}")).collect()
}

/// Whether a plain text is JSON of one value to whoever has only its bytes: a string, or a value
/// and its class as Jackson writes them.
pub fn is_json_of_one(text: &str) -> bool {
    let wrapped = serde_json::from_str::<(String, serde_json::Value)>(text);
    serde_json::from_str::<String>(text).is_ok()
        || wrapped.is_ok_and(|(class, _)| class.starts_with("java."))
}
