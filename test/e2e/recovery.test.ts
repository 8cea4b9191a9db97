// SPDX-License-Identifier: Apache-2.0
// docs/operations/recovery.md as somebody follows it: the commands of the page, with the paths of this test.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { BackgroundProgram, flotilla, quickPaces } from "./fleet/background-program.ts";
import { HubView } from "./fleet/hub-view.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";

const cluster = "eu-west-1";

/** The arguments of the page's command for a verb, with its paths below `folder`. */
function commandOf(verb: string, folder: string): readonly string[] {
  const page = readFileSync(join(root, "docs/operations/recovery.md"), "utf8");
  const line = page.split("\n").find((each) => each.trim().startsWith(`flotilla ${verb} `));
  if (line === undefined) throw new Error(`the page has no command flotilla ${verb}`);
  const [, ...words] = line.trim().split(" ");
  return words.map((word) => (word.startsWith("/") ? join(folder, word.replaceAll("/", "-").slice(1)) : word));
}

describe("a hub that is restored elsewhere", () => {
  const folder = openTempFolder();
  const dataDir = join(folder.path, "var-lib-flotilla");
  const world = new PlaygroundUp(1);
  let agent: BackgroundProgram;
  let hub: RunningHub;
  let view: HubView;

  beforeAll(async () => {
    await world.start();
    hub = await startHub(dataDir, ["--heartbeat-interval", "1s"]);
    view = new HubView(hub.record);
    writeFileSync(join(folder.path, "etc-flotilla-passphrase"), "correct horse battery\n");
    const token = await flotilla(folder.path, ["cluster", "join", cluster, "--token-only", "--data-dir", dataDir]);
    writeFileSync(join(folder.path, "join"), token.stdout, { mode: 0o600 });
    writeFileSync(join(folder.path, "ca.crt"), readFileSync(hub.record.caFile));
    const kubeconfig = ["--kubeconfig", join(world.dataDir, "kubeconfig"), "--context", cluster];
    const files = ["--ca-file", "ca.crt", "--join-token-file", "join", "--key-file", "key"];
    const args = ["agent", "--cluster-id", cluster, "--hub", hub.record.hubUrl, ...kubeconfig, ...files];
    const variables = quickPaces;
    agent = new BackgroundProgram({ cwd: folder.path, args: [...args, "--admin-port", "0"], variables });
    await view.untilState(cluster, "live");
  });

  afterAll(async () => {
    view.close();
    await agent.end();
    await hub.stop();
    await world.close();
    folder[Symbol.dispose]();
  });

  test("[ST30] [ST31] has its agent back: the sealed backup holds the CA that agents pin", async () => {
    const plain = await flotilla(folder.path, ["backup", "--data-dir", dataDir, "--to", "plain", "-o", "json"]);
    expect(JSON.parse(plain.stdout)).toMatchObject({
      isComplete: false,
      missing: ["keys", "tls/ca.crt", "tls/ca.key"],
    });
    expect(plain.stderr).toMatch(/is not complete: it lacks .*tls\/ca\.key.* add --passphrase-file FILE/);
    expect(await flotilla(folder.path, commandOf("backup", folder.path))).toMatchObject({ code: 0, stderr: "" });
    const port = new URL(hub.record.hubUrl).port;
    view.close();
    await hub.stop();
    rmSync(dataDir, { recursive: true });

    const restore = commandOf("restore", folder.path);
    const unopened = await flotilla(folder.path, restore.slice(0, -2));
    expect([unopened.code, unopened.stderr]).toEqual([2, expect.stringContaining("--passphrase-file")]);
    expect(await flotilla(folder.path, restore)).toMatchObject({ code: 0, stderr: "" });
    expect(commandOf("hub", folder.path)).toEqual(["hub", "--data-dir", dataDir]);
    hub = await startHub(dataDir, ["--heartbeat-interval", "1s", "--port", port]);
    view = new HubView(hub.record);
    await view.untilState(cluster, "live");
    const listed = await flotilla(folder.path, commandOf("cluster list", folder.path));
    expect(listed.stdout).toMatch(/eu-west-1 +live/);
  });
});
