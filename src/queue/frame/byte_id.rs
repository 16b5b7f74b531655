//! `struct.pack('Bc0Lc0', 8, id, len, payload)`: Redisson 3.21.1 and later.
