//! What speaks over a network: scripted model servers, and a real RabbitMQ and Redis on private ports.

mod collections;
mod conformance;
mod door;
mod egress;
mod every_code;
mod fetch_fleet;
mod hostile_queues;
mod hostile_redis;
mod labels;
mod operate;
mod provider;
mod redrive;
mod standing_collections;
mod store_fleet;
mod webhooks;
