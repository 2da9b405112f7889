//! Laws of the broker seam: what a worker may rely on, on RabbitMQ and in memory alike.

mod answers;
mod bench;
mod connections;
mod dead_letters;
mod deliveries;
mod operators;
mod routes;

pub use answers::{
    a_direct_address_that_nobody_has_costs_its_answerer_nothing, an_answer_reaches_its_asker_and_nobody_else,
    an_answer_to_a_lost_asker_is_lost_without_an_error,
};
pub use connections::{
    a_confirmed_message_survives_the_death_of_its_publisher, a_restart_keeps_queues_and_ends_connections,
    an_unconfirmed_window_arrives_in_whole_messages_each_at_most_once, publishing_on_a_dead_connection_fails,
    settling_after_the_connection_ended_is_refused_and_settles_nothing,
    what_a_dead_connection_held_comes_back_in_its_old_place_redelivered_and_counted,
};
pub use dead_letters::{
    a_message_over_the_delivery_limit_is_dead_lettered_with_reason_and_queue,
    a_rejected_message_is_dead_lettered_as_rejected, a_tier_gives_a_message_back_after_its_delay_and_not_before,
    the_death_that_is_told_is_the_latest,
};
pub use deliveries::{
    a_consumer_holds_at_most_its_prefetch, a_dropped_consumer_leaves_what_was_taken_with_its_holder,
    a_message_arrives_as_it_was_sent, a_requeued_message_comes_back_at_once_marked_redelivered,
    consumers_of_a_queue_take_turns, consuming_from_a_missing_queue_is_refused,
    messages_arrive_in_the_order_they_were_published,
};
pub use operators::{
    a_check_names_what_is_missing_or_differs, a_queue_is_not_declared_again_with_other_arguments,
    depth_tells_waiting_from_held, what_was_got_and_not_settled_comes_back_with_the_connection,
};
pub use routes::{
    a_broadcast_needs_no_listener, a_mandatory_message_without_a_queue_is_refused_and_its_neighbours_arrive,
    a_topic_subscription_gets_what_its_key_takes, every_subscription_of_a_fanout_gets_every_message,
};

use precis_runtime::broker::Broker;

/// A broker the laws can be tried on.
pub trait BrokerUnderTest: Sync {
    /// Opens a connection as a new worker would.
    fn connect(&self) -> impl Future<Output = Broker> + Send;
    /// Ends a connection as the death of its process would.
    fn kill(&self, connection: &Broker) -> impl Future<Output = ()> + Send;
    /// Stops the broker and starts it again.
    fn restart(&self) -> impl Future<Output = ()> + Send;
}

/// Calls a macro with the name of every law of this folder.
#[macro_export]
macro_rules! broker_laws {
    ($run:ident) => {
        $run! {
            a_message_arrives_as_it_was_sent
            messages_arrive_in_the_order_they_were_published
            what_a_dead_connection_held_comes_back_in_its_old_place_redelivered_and_counted
            a_requeued_message_comes_back_at_once_marked_redelivered
            a_consumer_holds_at_most_its_prefetch
            consumers_of_a_queue_take_turns
            a_dropped_consumer_leaves_what_was_taken_with_its_holder
            consuming_from_a_missing_queue_is_refused
            a_confirmed_message_survives_the_death_of_its_publisher
            an_unconfirmed_window_arrives_in_whole_messages_each_at_most_once
            publishing_on_a_dead_connection_fails
            settling_after_the_connection_ended_is_refused_and_settles_nothing
            a_message_over_the_delivery_limit_is_dead_lettered_with_reason_and_queue
            a_rejected_message_is_dead_lettered_as_rejected
            a_tier_gives_a_message_back_after_its_delay_and_not_before
            the_death_that_is_told_is_the_latest
            an_answer_reaches_its_asker_and_nobody_else
            an_answer_to_a_lost_asker_is_lost_without_an_error
            a_direct_address_that_nobody_has_costs_its_answerer_nothing
            a_mandatory_message_without_a_queue_is_refused_and_its_neighbours_arrive
            a_broadcast_needs_no_listener
            a_queue_is_not_declared_again_with_other_arguments
            a_topic_subscription_gets_what_its_key_takes
            every_subscription_of_a_fanout_gets_every_message
            a_restart_keeps_queues_and_ends_connections
            depth_tells_waiting_from_held
            a_check_names_what_is_missing_or_differs
            what_was_got_and_not_settled_comes_back_with_the_connection
        }
    };
}
