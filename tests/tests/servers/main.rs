//! What speaks over a network: scripted model servers, and a real RabbitMQ and Redis on private ports.

mod conformance;
mod egress;
mod fetch_fleet;
mod hostile_queues;
mod hostile_redis;
mod operate;
mod provider;
mod store_fleet;
