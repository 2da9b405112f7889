//! What a request refers to: stored texts with their proofs, collections in a version, the receiver that is told of its end.

use precis_proto::TenantId;
use precis_proto::account::Account;
use precis_proto::failure_code::FailureCode;
use precis_proto::request::ResearchRequest;
use precis_proto::source::ContentRef;

use super::core::Core;
use super::outbox::SendError;
use super::request_fault::RequestFault;
use crate::collections::{BindFault, bind};
use crate::records::read_accepted;
use crate::webhooks::WebhookRefusal;

/// Returns a fault for the first source that refers to a text without proof that the tenant put it there. The hash of a text appears in
/// every report that uses it, so knowing the hash proves nothing. The tenant is the one the message names, otherwise the user's,
/// otherwise the default one. Does not check whether the text exists.
pub(super) async fn missing_proof(
    core: &Core,
    request: &ResearchRequest,
    account: &Account,
    named: Option<&str>,
) -> Result<Option<RequestFault>, SendError> {
    let named = named.filter(|name| !name.is_empty());
    let tenant = named.or(account.tenant.as_ref().map(TenantId::as_str)).unwrap_or_default();
    for (place, source) in request.sources.iter().enumerate() {
        let Some(content) = &source.content_ref else { continue };
        let message = match &source.content_proof {
            Some(proof) if core.services.content.proves(tenant, content, proof).await? => continue,
            Some(_) if tenant.is_empty() => {
                "content_proof does not match this text and the default tenant; expected a proof made for the tenant \
                 that the message names"
                    .to_owned()
            }
            Some(_) => format!("content_proof does not match this text and the tenant `{tenant}`"),
            None => {
                "content_ref needs a content_proof, got none: submit with `precis submit`, or send the document as \
                     content_base64"
                    .to_owned()
            }
        };
        let pointer = format!("/sources/{place}/content_proof");
        return Ok(Some(RequestFault { code: FailureCode::ContentNotProved, message, pointer }));
    }
    let Some(research) = &request.options.research else { return Ok(None) };
    for (place, corpus) in research.corpus.iter().enumerate() {
        if !is_proved(core, tenant, &corpus.manifest, corpus.proof.as_deref()).await? {
            let message = "proof is missing, or does not match this corpus and tenant: publish it with `precis corpus publish`, and submit \
                           with `precis submit`"
                .to_owned();
            let pointer = format!("/options/research/corpus/{place}/proof");
            return Ok(Some(RequestFault { code: FailureCode::ContentNotProved, message, pointer }));
        }
    }
    match &research.fork {
        Some(fork) if !is_proved(core, tenant, &fork.rounds, fork.proof.as_deref()).await? => {
            let message = "proof is missing, or does not match these rounds and tenant: use `precis fork`".to_owned();
            let pointer = "/options/research/fork/proof".to_owned();
            Ok(Some(RequestFault { code: FailureCode::ContentNotProved, message, pointer }))
        }
        _ => Ok(None),
    }
}

/// Adds the corpora of the collections that a request names, each in the version that the session was accepted with: a request that is
/// delivered again searches the same one. The tenant is that of [`missing_proof`].
pub(super) async fn bind_collections(
    core: &Core,
    request: &mut ResearchRequest,
    account: &Account,
    named: Option<&str>,
) -> Result<Result<(), RequestFault>, SendError> {
    let content = &core.services.content;
    let Some(research) = request.options.research.as_mut().filter(|research| !research.collections.is_empty()) else {
        return Ok(Ok(()));
    };
    let tenant = named.filter(|name| !name.is_empty()).or(account.tenant.as_ref().map(TenantId::as_str));
    let earlier = read_accepted(content, request.session_id.as_str()).await?;
    let earlier = earlier.and_then(|record| record.options.research);
    match bind(content, tenant, research, earlier.as_ref()).await? {
        Ok(corpora) => {
            research.corpus.extend(corpora);
            Ok(Ok(()))
        }
        Err(BindFault { code, message, pointer }) => Ok(Err(RequestFault { code, message, pointer })),
    }
}

/// Whether `proof` is present and valid for `content` and `tenant`.
async fn is_proved(core: &Core, tenant: &str, content: &ContentRef, proof: Option<&str>) -> Result<bool, SendError> {
    match proof {
        Some(proof) => Ok(core.services.content.proves(tenant, content, proof).await?),
        None => Ok(false),
    }
}

/// Returns the fault of a request that wants somebody told whom this fleet does not tell.
pub(super) fn not_told(
    core: &Core,
    request: &ResearchRequest,
    named: Option<&str>,
    tenant: Option<&TenantId>,
) -> Option<RequestFault> {
    let target = request.options.webhook.as_ref()?;
    let tenant = named.filter(|name| !name.is_empty()).or(tenant.map(TenantId::as_str));
    let refused = match &core.settings.webhooks {
        Some(webhooks) => webhooks.receiver(target, tenant).err()?,
        None => WebhookRefusal::of_no_endpoints(target),
    };
    let pointer = format!("/options/webhook/{}", refused.field);
    Some(RequestFault { code: FailureCode::WebhookNotAllowed, message: refused.message, pointer })
}
