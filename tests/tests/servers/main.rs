//! What speaks over a network: scripted model servers, and a real RabbitMQ and Redis on private ports.

mod conformance;
mod egress;
mod operate;
mod provider;
mod store_fleet;
