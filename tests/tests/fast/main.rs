//! Pure code, and the runner on the broker and the store in memory: no process is started and no server is asked.

mod accounts;
mod allocation;
mod budget;
mod crash_matrix;
mod digest_breaker;
mod early_end;
mod evidence;
mod faithful;
mod fuzz;
mod gold;
mod hostile;
mod losses;
mod moved_on;
mod ops;
mod pace;
mod paged;
mod pdf_sentences;
mod prose;
mod readme;
mod rounds;
mod runner;
mod schemas;
mod simulation;
mod summaries;
mod text_laws;
mod threat_model;
