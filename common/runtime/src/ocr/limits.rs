//! The limits of recognition.

use std::time::Duration;

/// What one page and one document may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OcrLimits {
    /// Longest time for one page. Default 60 s: a dense page takes tesseract 5 to 10 s on one core.
    pub page_time: Duration,
    /// Address space of the tool, in bytes. Default 1 GiB: tesseract takes 300 MB for a page of 300 dots an inch.
    pub memory_bytes: u64,
    /// Most bytes of text that are taken of one page. Default 256 KiB: ten times a page of fine print. A tool that prints more is ended.
    pub page_bytes: usize,
    /// Most pages that are recognized of one document, from the first. Default 100: half an hour on one core at worst.
    pub pages: usize,
}

impl Default for OcrLimits {
    fn default() -> Self {
        Self { page_time: Duration::from_secs(60), memory_bytes: 1 << 30, page_bytes: 256 << 10, pages: 100 }
    }
}

impl OcrLimits {
    /// Processor seconds of one page. The tool has one thread's worth of work, so it never needs more than the time that passes.
    pub(super) fn processor_seconds(&self) -> u64 {
        self.page_time.as_secs().saturating_add(1)
    }
}
