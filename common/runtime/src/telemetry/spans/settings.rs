//! The variables of OpenTelemetry that say where spans go. Pure.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use url::Url;

use crate::secret_url::SecretUrl;

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const TRACES_HEADERS: &str = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
const TIMEOUT: &str = "OTEL_EXPORTER_OTLP_TIMEOUT";
const TRACES_TIMEOUT: &str = "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT";
const PROTOCOLS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
const DISABLED: &str = "OTEL_SDK_DISABLED";
const EXPORTER: &str = "OTEL_TRACES_EXPORTER";
const SERVICE: &str = "OTEL_SERVICE_NAME";
const RESOURCE: &str = "OTEL_RESOURCE_ATTRIBUTES";
/// The path of traces below an endpoint of all signals.
const TRACES_PATH: &str = "v1/traces";
/// The protocol that is spoken.
const PROTOCOL: &str = "http/json";
/// Longest time of a request, as the specification has it.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Where spans go. `Debug` hides the headers, which may hold a key.
#[derive(Clone, PartialEq, Eq)]
pub struct ExportSettings {
    /// The address that they are posted to.
    pub url: SecretUrl,
    /// Header fields that are sent along.
    pub(super) headers: Vec<(String, String)>,
    /// Longest time of a request.
    pub(super) timeout: Duration,
    /// What is said of this process.
    pub(super) resource: Vec<(String, String)>,
    /// A protocol that is asked for and not spoken.
    pub unspoken: Option<String>,
}

/// A variable that cannot be used; does not repeat its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: expected {expected}")]
pub struct ExportFault {
    /// The variable.
    pub variable: &'static str,
    /// What it may be.
    pub expected: &'static str,
}

impl fmt::Debug for ExportSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportSettings").field("url", &self.url).finish_non_exhaustive()
    }
}

impl ExportSettings {
    /// Reads the variables; `None` if no collector is named, or tracing is switched off.
    ///
    /// # Errors
    /// [`ExportFault`] names the first variable that cannot be used.
    pub fn read(environment: &BTreeMap<String, String>) -> Result<Option<Self>, ExportFault> {
        let value = |name: &str| environment.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
        let is_off = value(DISABLED).is_some_and(|value| value.eq_ignore_ascii_case("true"))
            || value(EXPORTER).is_some_and(|value| value.eq_ignore_ascii_case("none"));
        let named = value(TRACES_ENDPOINT).map(|url| (TRACES_ENDPOINT, url));
        let named = named.or_else(|| value(ENDPOINT).map(|url| (ENDPOINT, url)));
        let Some((variable, url)) = named.filter(|_| !is_off) else { return Ok(None) };
        let fault = ExportFault { variable, expected: "an address that begins with http:// or https://" };
        let mut url = Url::parse(url).map_err(|_| fault.clone())?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(fault);
        }
        if variable == ENDPOINT {
            let path = format!("{}/{TRACES_PATH}", url.path().trim_end_matches('/'));
            url.set_path(&path);
        }
        let mut resource = vec![("service.name".to_owned(), value(SERVICE).unwrap_or("precis").to_owned())];
        resource.push(("service.version".to_owned(), crate::VERSION.to_owned()));
        let more = pairs(RESOURCE, value(RESOURCE).unwrap_or_default())?;
        let has_name = value(SERVICE).is_some();
        for (name, value) in more {
            match resource.iter_mut().find(|(known, _)| *known == name) {
                Some(known) if !(has_name && name == "service.name") => known.1 = value,
                Some(_) => {}
                None => resource.push((name, value)),
            }
        }
        let (variable, timeout) = match value(TRACES_TIMEOUT) {
            Some(timeout) => (TRACES_TIMEOUT, Some(timeout)),
            None => (TIMEOUT, value(TIMEOUT)),
        };
        let timeout = match timeout.map(str::parse::<u64>) {
            None => DEFAULT_TIMEOUT,
            Some(Ok(ms)) if ms > 0 => Duration::from_millis(ms),
            Some(_) => return Err(ExportFault { variable, expected: "milliseconds, at least 1" }),
        };
        let headers = match value(TRACES_HEADERS) {
            Some(headers) => pairs(TRACES_HEADERS, headers)?,
            None => pairs(HEADERS, value(HEADERS).unwrap_or_default())?,
        };
        let unspoken = PROTOCOLS.iter().find_map(|name| value(name)).filter(|protocol| *protocol != PROTOCOL);
        let unspoken = unspoken.map(str::to_owned);
        Ok(Some(Self { url: SecretUrl::from(url), headers, timeout, resource, unspoken }))
    }
}

/// Reads `name=value,…`, values percent-encoded.
fn pairs(variable: &'static str, text: &str) -> Result<Vec<(String, String)>, ExportFault> {
    let fault = || ExportFault { variable, expected: "a list such as name=value,other=value" };
    let mut pairs = Vec::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(fault)?;
        let (name, value) = (name.trim(), decode_percent(value.trim()).ok_or_else(fault)?);
        if name.is_empty() || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(fault());
        }
        pairs.push((name.to_owned(), value));
    }
    Ok(pairs)
}

fn decode_percent(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        rest = match (first, after) {
            (b'%', [high, low, more @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                bytes.push(digit(*high)? * 16 + digit(*low)?);
                more
            }
            (b'%', _) => return None,
            (byte, more) => {
                bytes.push(*byte);
                more
            }
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<ExportSettings>, ExportFault> {
        let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ExportSettings::read(&environment)
    }

    #[test]
    fn nothing_is_exported_unless_a_collector_is_named() {
        for off in [
            &[][..],
            &[(ENDPOINT, "")],
            &[(ENDPOINT, "http://c:4318"), (DISABLED, "TRUE")],
            &[(ENDPOINT, "http://c:4318"), (EXPORTER, "none")],
            &[(HEADERS, "a=b")],
        ] {
            assert_eq!(read(off), Ok(None), "{off:?}");
        }
    }

    #[test]
    fn only_an_endpoint_of_all_signals_gets_a_path() {
        for (variables, url) in [
            (&[(ENDPOINT, "http://c:4318")][..], "http://c:4318/v1/traces"),
            (&[(ENDPOINT, "http://c:4318/otel/")], "http://c:4318/otel/v1/traces"),
            (&[(ENDPOINT, "http://c:4318"), (TRACES_ENDPOINT, "https://d/x")], "https://d/x"),
        ] {
            assert_eq!(read(variables).expect("fine").expect("on").url.expose(), url);
        }
    }

    #[test]
    fn headers_come_from_the_variables_and_are_not_shown() {
        let settings = read(&[
            (ENDPOINT, "http://c:4318"),
            (HEADERS, "authorization=Basic%20SECRET, x-tenant=a"),
            (RESOURCE, "service.name=other,host.name=h%2C1"),
            (TIMEOUT, "250"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ]);
        let settings = settings.expect("fine").expect("on");
        assert_eq!(settings.headers[0], ("authorization".to_owned(), "Basic SECRET".to_owned()));
        assert_eq!(settings.headers[1], ("x-tenant".to_owned(), "a".to_owned()));
        assert_eq!((settings.timeout, settings.unspoken.as_deref()), (Duration::from_millis(250), Some("grpc")));
        let said =
            |name: &str| settings.resource.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        assert_eq!((said("service.name"), said("host.name")), (Some("other"), Some("h,1")));
        assert!(!format!("{settings:?}").contains("SECRET"));
        let named = read(&[(ENDPOINT, "http://c"), (SERVICE, "mine"), (RESOURCE, "service.name=other")]);
        assert_eq!(named.expect("fine").expect("on").resource[0].1, "mine");
    }

    #[test]
    fn a_variable_that_cannot_be_used_is_named_without_its_value() {
        for (name, value) in [
            (TRACES_ENDPOINT, "SECRET"),
            (TRACES_ENDPOINT, "grpc://SECRET:4317"),
            (HEADERS, "SECRET"),
            (HEADERS, "a=%zzSECRET"),
            (HEADERS, "=SECRET"),
            (TIMEOUT, "0"),
            (TRACES_TIMEOUT, "SECRET"),
            (RESOURCE, "SECRET"),
        ] {
            let fault = read(&[(ENDPOINT, "http://c:4318"), (name, value)]).expect_err(name).to_string();
            assert!(fault.starts_with(name) && !fault.contains("SECRET"), "{fault}");
        }
    }
}
