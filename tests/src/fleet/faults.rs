//! Doing it to the processes, and keeping book of who died when.

use std::collections::BTreeMap;
use std::time::Instant;

use super::fleet_under_test::{FleetUnderTest, WorkerProcess};
use super::plan::{Fault, Plan};
use super::shared_servers::SharedServers;

/// The workers of a trial. One that ends is followed by another in the same place.
#[derive(Debug)]
pub struct WorkerPool<'a> {
    fleet: &'a FleetUnderTest,
    workers: Vec<WorkerProcess>,
    environments: Vec<Vec<(&'static str, String)>>,
    started: usize,
    /// When each worker that was killed died.
    pub deaths: BTreeMap<String, Instant>,
    /// What a worker did that it should not: ended by itself, or drained badly.
    pub violations: Vec<String>,
    peak_kib: u64,
}

impl<'a> WorkerPool<'a> {
    /// One worker per environment.
    #[must_use]
    pub fn start(fleet: &'a FleetUnderTest, environments: Vec<Vec<(&'static str, String)>>) -> Self {
        let mut pool = Self {
            fleet,
            workers: Vec::new(),
            environments,
            started: 0,
            deaths: BTreeMap::new(),
            violations: Vec::new(),
            peak_kib: 0,
        };
        for place in 0..pool.environments.len() {
            let worker = pool.recruit(place);
            pool.workers.push(worker);
        }
        pool
    }

    /// Lets `fault` happen; returns when it is over and whatever was stopped goes on.
    pub async fn suffer(&mut self, servers: &SharedServers, fault: Fault, plan: &mut Plan) {
        match fault {
            Fault::KillWorker => {
                let place = self.one_of(plan);
                self.kill(place);
            }
            Fault::DrainWorker => {
                let place = self.one_of(plan);
                self.drain(place).await;
            }
            Fault::PauseWorker(time) => {
                let place = self.one_of(plan);
                self.workers[place].pause();
                tokio::time::sleep(time).await;
                self.workers[place].go_on();
            }
            Fault::KillBroker => {
                servers.rabbit.kill();
                servers.rabbit.start_again().await;
            }
            Fault::PauseBroker(time) => {
                servers.rabbit.pause();
                tokio::time::sleep(time).await;
                servers.rabbit.resume();
            }
            Fault::Cut => servers.proxy.cut().await,
            Fault::Reset => servers.proxy.reset().await,
            Fault::Stall(time) => {
                servers.proxy.pause();
                tokio::time::sleep(time).await;
                servers.proxy.go_on();
            }
            Fault::Flush => servers.redis.flush().await,
            Fault::PauseRedis(time) => {
                servers.redis.pause();
                tokio::time::sleep(time).await;
                servers.redis.go_on();
            }
        }
    }

    /// Drains every worker and returns the most memory any of them had, in KiB.
    pub async fn dismiss(&mut self) -> u64 {
        for place in 0..self.workers.len() {
            self.end(place).await;
        }
        self.workers.clear();
        self.peak_kib
    }

    /// SIGKILL of the worker at `place`; another takes its place.
    pub fn kill(&mut self, place: usize) {
        self.note(place);
        let died = self.workers[place].kill();
        self.deaths.insert(self.workers[place].name().to_owned(), died);
        self.workers[place] = self.recruit(place);
    }

    async fn drain(&mut self, place: usize) {
        self.end(place).await;
        self.workers[place] = self.recruit(place);
    }

    async fn end(&mut self, place: usize) {
        self.note(place);
        if let Err(how) = self.workers[place].drain().await {
            self.violations.push(how);
        }
    }

    fn note(&mut self, place: usize) {
        let worker = &mut self.workers[place];
        self.peak_kib = self.peak_kib.max(worker.peak_kib());
        if !worker.is_alive() {
            self.violations.push(format!("{} had ended by itself", worker.name()));
        }
    }

    fn recruit(&mut self, place: usize) -> WorkerProcess {
        self.started += 1;
        let environment: Vec<(&str, &str)> = self.environments[place].iter().map(|(k, v)| (*k, v.as_str())).collect();
        self.fleet.worker(&format!("w{place}.{}", self.started), &environment)
    }

    fn one_of(&self, plan: &mut Plan) -> usize {
        plan.choose(self.workers.len())
    }
}
