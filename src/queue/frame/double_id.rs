//! `struct.pack('dLc0', random, len, payload)`: Redisson up to 3.21.0.
