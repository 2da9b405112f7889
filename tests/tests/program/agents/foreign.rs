//! Clients that are not ours: Python's public one, over both forms of the protocol.

use precis_tests::program::{ended, path};

use super::workspace;

/// Opens a session, lists the tools, asks with no time to wait, takes the handle, gets the report, verifies it.
const WITH_SESSION: &str = r#"
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--root", "docs", "--data", "data"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        collections = await session.call_tool("list_collections", {})
        steps = []
        async def step(progress, total, message):
            steps.append(progress)
        await session.call_tool("ask", {"question": "Who pays the harbour tax?"}, progress_callback=step)
        answer = await session.call_tool("ask", {"question": "Who pays the harbour tax?", "wait_seconds": 0})
        said = json.loads(answer.model_dump_json(by_alias=True))["structuredContent"]
        handle = said["session"]
        while said["status"] in ("preparing", "running"):
            answer = await session.call_tool("get_report", {"session": handle, "wait_seconds": 5})
            said = json.loads(answer.model_dump_json(by_alias=True))["structuredContent"]
        verdict = await session.call_tool("verify", {"session": handle})
        print(json.dumps({"tools": [tool.name for tool in tools], "report": said["report"], "status": said["status"],
                          "collections": json.loads(collections.model_dump_json(by_alias=True))["structuredContent"]["collections"],
                          "steps": steps, "verdict": json.loads(verdict.model_dump_json(by_alias=True))["structuredContent"]["holds"]}))

asyncio.run(main())
"#;

/// The same without a session, in the newest version that the client speaks.
const WITHOUT_SESSION: &str = r#"
import asyncio, json, sys
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--root", "docs", "--data", "data"])
    async with Client(stdio_client(server)) as client:
        tools = (await client.list_tools()).tools
        answer = await client.call_tool("ask", {"question": "Who pays the harbour tax?"})
        said = json.loads(answer.model_dump_json(by_alias=True))["structuredContent"]
        verdict = await client.call_tool("verify", {"session": said["session"]})
        print(json.dumps({"tools": [tool.name for tool in tools], "report": said["report"], "status": said["status"],
                          "version": client.protocol_version,
                          "verdict": json.loads(verdict.model_dump_json(by_alias=True))["structuredContent"]["holds"]}))

asyncio.run(main())
"#;

#[test]
fn the_public_python_client_finishes_a_session_in_both_protocols() {
    let workspace = workspace();
    let python = std::path::Path::new("python3");
    if ended(workspace.within(python, &["-c", "from mcp.client import Client"])).code != 0 {
        eprintln!("SKIPPED: there is no Python with mcp 2: no client that is not ours was tried");
        return;
    }
    let program = path().display().to_string();
    for (script, version) in [(WITH_SESSION, None), (WITHOUT_SESSION, Some("2026-07-28"))] {
        workspace.write("client.py", script);
        let client = ended(workspace.within(python, &["client.py", &program]));
        assert_eq!(client.code, 0, "{}", client.stderr);
        let said: serde_json::Value = serde_json::from_str(&client.stdout).expect("JSON");
        let tools = serde_json::json!([
            "research",
            "ask",
            "get_report",
            "verify",
            "search_evidence",
            "extract",
            "list_collections"
        ]);
        assert_eq!((&said["tools"], &said["verdict"]), (&tools, &true.into()), "{said}");
        assert!(said["report"].as_str().expect("a report").contains("paid by the captain"), "{said}");
        assert_eq!(said["version"].as_str(), version);
        if version.is_none() {
            // Its library holds every answer against the outputSchema of the tool.
            assert_eq!(said["collections"], serde_json::json!([]), "{said}");
            assert_eq!(said["steps"][0], 1.0, "it is told that documents are read: {said}");
        }
    }
}
