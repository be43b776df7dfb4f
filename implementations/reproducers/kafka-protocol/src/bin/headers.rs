//! A record has the headers a = 1, b = 2, a = 3. A key may come twice: headers are a list. Only the last a is left.

use bytes::Bytes;
use kafka_protocol::records::RecordBatchDecoder;

fn main() {
    let mut data = Bytes::from(hex::decode("@bytes@").unwrap());
    let set = RecordBatchDecoder::decode(&mut data).unwrap();
    println!("headers of the first record, as they are read:");
    for (key, value) in &set.records[0].headers {
        println!("{} = {:?}", &key[..], value);
    }
}
