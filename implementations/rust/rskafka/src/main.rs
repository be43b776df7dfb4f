//! rskafka as a client: `client-rskafka ADDRESS` produces a record to the topic `test`, reads it back, and ends with 0 if that
//! worked.

use std::{collections::BTreeMap, error::Error, future::Future, process::ExitCode, time::Duration};

use chrono::DateTime;
use rskafka::{
    client::{
        Client, ClientBuilder, error,
        partition::{Compression, PartitionClient, UnknownTopicHandling},
    },
    record::Record,
};
use tokio::time::timeout;

/// How long it may take to connect, to produce, and to consume: rskafka waits for ever for an answer.
const LIMIT: Duration = Duration::from_secs(3);
const VALUE: &[u8] = b"v";

async fn within<T>(what: &str, part: impl Future<Output = error::Result<T>>) -> Result<T, Box<dyn Error>> {
    Ok(timeout(LIMIT, part).await.map_err(|_| format!("{what}: not done in {LIMIT:?}"))??)
}

async fn partition(address: String) -> error::Result<PartitionClient> {
    let client: Client = ClientBuilder::new(vec![address]).build().await?;
    client.partition_client("test", 0, UnknownTopicHandling::Error).await
}

/// The value of the first record. An answer may be without any.
async fn first(partition: &PartitionClient) -> error::Result<Option<Vec<u8>>> {
    loop {
        let (records, _) = partition.fetch_records(0, 1..1_000_000, 500).await?;
        if let Some(found) = records.into_iter().next() {
            return Ok(found.record.value);
        }
    }
}

async fn run(address: String) -> Result<(), Box<dyn Error>> {
    let partition = within("connect", partition(address)).await?;
    let record = Record { key: None, value: Some(VALUE.to_vec()), headers: BTreeMap::new(), timestamp: DateTime::UNIX_EPOCH };
    within("produce", partition.produce(vec![record], Compression::NoCompression)).await?;
    match within("consume", first(&partition)).await? {
        Some(value) if value == VALUE => Ok(()),
        found => Err(format!("consumed {found:?}").into()),
    }
}

fn main() -> ExitCode {
    let address = std::env::args().nth(1).expect("usage: client-rskafka ADDRESS");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    match runtime.block_on(run(address)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
