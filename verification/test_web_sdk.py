"""OpenFeature's own SDK for browsers against the real service: `pytest verification/test_web_sdk.py`.

The SDK and its provider come from the npm registry, into a temporary folder.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from robandit.client import Client
from tests.serving import running

PACKAGES = ("@openfeature/web-sdk@1", "@openfeature/ofrep-web-provider@0.4")
PROGRAM = """
import { OpenFeature } from "@openfeature/web-sdk";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
const statuses = [];
const fetchImplementation = async (...words) => {
  const reply = await fetch(...words);
  statuses.push(reply.status);
  return reply;
};
const options = { baseUrl: process.argv[2], pollInterval: 1000, fetchImplementation };
await OpenFeature.setContext({ targetingKey: "visitor 1", country: "nl" });
await OpenFeature.setProviderAndWait(new OFREPWebProvider(options));
const client = OpenFeature.getClient();
const seen = [client.getStringDetails("kept", "none")];
await new Promise((done) => setTimeout(done, 2500));  // two polls
seen.push(client.getStringDetails("kept", "none"), client.getStringDetails("anew", "none"));
await OpenFeature.setContext({ targetingKey: "visitor 2" });
seen.push(client.getStringDetails("kept", "none"));
console.log(JSON.stringify({ seen, statuses }));
await OpenFeature.close();
"""


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_a_browser_s_sdk_keeps_its_arms_and_is_not_sent_them_twice(tmp_path: Path) -> None:
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", *PACKAGES], cwd=tmp_path, check=True)
    (tmp_path / "program.mjs").write_text(PROGRAM)
    with running() as served:
        with Client(served.url) as client:
            client.create("kept", ["old", "new"], rules={"sticky": True})
            client.create("anew", ["old", "new"])
        words = ["node", tmp_path / "program.mjs", served.url]
        outcome = json.loads(subprocess.run(words, capture_output=True, check=True, text=True, timeout=60).stdout)
        with Client(served.url) as client:
            assert client.experiment("kept").about()["decisions"] == 2
    first, second, absent, other = outcome["seen"]
    assert first["value"] in ("old", "new")
    assert first["flagMetadata"]["probability"] == 0.5
    assert second == first
    assert absent["errorCode"] == "FLAG_NOT_FOUND"  # it is not sticky
    assert other["flagMetadata"]["decision"] != first["flagMetadata"]["decision"]
    assert outcome["statuses"] == [200, 304, 304, 200]
