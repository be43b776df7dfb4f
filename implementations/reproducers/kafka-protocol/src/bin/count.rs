//! A batch announces 2^31-1 records in 8 bytes. Memory is taken for all of them, 352 GiB, before the bytes are looked at.

use bytes::Bytes;
use kafka_protocol::records::RecordBatchDecoder;

fn read(digits: &str) -> Result<usize, String> {
    let mut data = Bytes::from(hex::decode(digits).unwrap());
    match RecordBatchDecoder::decode(&mut data) {
        Ok(set) => Ok(set.records.len()),
        Err(error) => Err(error.to_string()),
    }
}

fn main() {
    println!("valid: records {:?}", read("@twin@"));
    println!("invalid: records {:?}", read("@bytes@"));
}
