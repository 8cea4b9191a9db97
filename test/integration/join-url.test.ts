// SPDX-License-Identifier: Apache-2.0
// Joining by URL on a hub that runs: the line, the manifest, what is seen of a join and what is written down.
import { spawnSync } from "node:child_process";
import { connect } from "node:tls";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { createJoinUrl } from "../../src/cli/cluster/join-url.ts";
import { recordIo } from "../../src/cli/testing/recorded-io.ts";
import { JoinCodeService, type JoinStep } from "../../src/gen/flotilla/fleet/v1/join_pb.ts";
import { SessionService } from "../../src/gen/flotilla/session/v1/session_pb.ts";
import { textOf } from "../../src/kinds/fields.ts";
import { createAgentKey } from "../../src/rpc/auth/ed25519.ts";
import { promptEnvironment, runProgram } from "../e2e/run-program.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const wanted = { region: "eu", environment: "", objectReads: false, needsApproval: false, uses: 1, wait: false };
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe("joining by URL", () => {
  const folder = openTempFolder();
  let hub: RunningHub;

  beforeAll(async () => {
    hub = await startHub(folder.path, ["--hosts", "hub.test"]);
  });

  afterAll(async () => {
    await hub.stop();
    folder[Symbol.dispose]();
  });

  /** What `flotilla cluster join ID` prints. */
  async function joinLine(clusterId: string): Promise<string> {
    const { io, stdout } = recordIo();
    const call = { transport: hub.connect(), io, output: "text", signal: new AbortController().signal } as const;
    await createJoinUrl(call, clusterId, wanted);
    return stdout().trim();
  }

  async function create(clusterId: string): Promise<{ readonly id: string; readonly path: string }> {
    const client = createClient(JoinCodeService, hub.connect());
    const { id, url } = await client.createJoinCode({ clusterId });
    return { id, path: new URL(url).pathname };
  }

  function get(path: string): Promise<Response> {
    return fetch(`${hub.record.httpUrl}${path}`);
  }

  /** Until the current step of the join is as it is asked for. */
  async function untilStep(id: string, isSo: (step: JoinStep) => boolean): Promise<JoinStep> {
    for await (const { steps } of createClient(JoinCodeService, hub.connect()).watchJoin({ id })) {
      const step = steps.find(({ state }) => state !== "done");
      if (step !== undefined && isSo(step)) return step;
    }
    throw new Error("the stream ended before");
  }

  test.skipIf(!hasCurl)(
    "[IN13] [IN15] the printed line fetches the manifest from this hub, and nothing where another key answers",
    async () => {
      const line = await joinLine("printed");
      const [, pin = "", url = ""] =
        /^curl -fsSk --pinnedpubkey '(sha256\/\/[^']+)' '([^']+)' \| kubectl apply -f -$/.exec(line) ?? [];
      const { port } = new URL(hub.record.hubUrl);
      expect(url).toMatch(new RegExp(`^https://hub.test:${port}/join/v1/flt_join_\\w{20}_[\\w-]{22}\\.yaml$`));
      // The only change: hub.test is this machine.
      const curl = (key: string) =>
        runProgram(
          "curl",
          ["-fsSk", "--connect-to", `hub.test:${port}:127.0.0.1:${port}`, "--pinnedpubkey", key, url],
          {
            cwd: folder.path,
            env: promptEnvironment(),
          },
        );
      const wrong = await curl(`sha256//${Buffer.alloc(32).toString("base64")}`);
      expect([wrong.code, wrong.stdout]).toEqual([90, ""]);
      const { code, stdout, stderr } = await curl(pin);
      expect([code, stderr]).toEqual([0, ""]);
      const objects = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
      expect(objects.map((object) => textOf(object, "kind"))).toEqual([
        "Namespace",
        "Secret",
        "ServiceAccount",
        "ClusterRole",
        "ClusterRoleBinding",
        "Role",
        "RoleBinding",
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "Deployment",
      ]);
      expect(textOf(objects[1], "stringData", "token")).toMatch(/^flt_\w{20}_[\w-]{43}$/);
      const deployment = JSON.stringify(objects.at(-1));
      expect(deployment).toContain(`--hub=https://hub.test:${port}`);
      expect(deployment).toContain("--region=eu");
      expect(deployment).toContain('"image":"flotilla.dev/flotilla:test"');
    },
  );

  test("[IN14] neither code nor join token is in the log, and the fetch is", async () => {
    const { path } = await create("logged");
    const answer = await get(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/yaml"]);
    const token = /flt_\w{20}_[\w-]{43}/.exec(await answer.text())?.[0] ?? "";
    const log = hub.logged.join("");
    expect(log).toContain("join manifest fetched");
    for (const secret of [path.slice(-27, -5), token]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(log).not.toContain(secret);
    }
    expect(log).not.toMatch(/flt_join_\w/);
  });

  test("[IN16] a watcher sees the fetch with its address, then the refusal with its reason", async () => {
    const { id, path } = await create("watched");
    const fetched = untilStep(id, ({ name }) => name === "registered");
    await get(path);
    expect((await fetched).sentence).toBe("The agent has not contacted the hub.");
    const refused = untilStep(id, ({ state }) => state === "stopped");
    const session = createClient(SessionService, hub.connect("unused"));
    const request = { joinToken: "flt_wrong", clusterId: "watched", clusterUid: "uid" };
    await expect(session.join({ ...request, publicKey: createAgentKey().publicKey })).rejects.toThrow("unknown");
    expect(await refused).toMatchObject({
      name: "registered",
      sentence: expect.stringMatching(
        /^The hub refused to register the agent at 127.0.0.1: the join token is unknown or revoked; ask for a new one\.$/,
      ),
    });
  });

  test("[IN17] a client that does not trust the hub's certificate is seen by its address", async () => {
    const { id } = await create("untrusting");
    const seen = untilStep(id, ({ hints }) => hints.some(({ sentence }) => sentence.includes("TLS handshake")));
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(hub.record.hubUrl).port) });
    socket.on("error", () => undefined); // that it does not trust the hub is what is tested
    const sentences = (await seen).hints.map(({ sentence }) => sentence);
    expect(sentences.join("\n")).toMatch(/TLS handshakes? from 127.0.0.1 failed: the client closed the connection/);
  });

  test("[IN12] a join URL is for one cluster, so a pattern is refused", async () => {
    await expect(joinLine("prod-*")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("give its id, or use --token-only"),
    });
    const client = createClient(JoinCodeService, hub.connect());
    await expect(client.createJoinCode({ clusterId: "long", region: "r".repeat(10_000) })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  test("[IN14] guesses get one answer, and after some of them none", async () => {
    const { path } = await create("guessed");
    const guess = `${path.slice(0, -27)}${"A".repeat(22)}.yaml`;
    const answer = await get(guess);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      message: "this join URL is unknown, expired or used; create another with `flotilla cluster join NAME`",
    });
    for (let count = 1; count < 20; count += 1) expect((await get("/join/v1/x")).status).toBe(404);
    expect((await get(path)).status).toBe(429);
  });
});

test("[IN11] a hub that only its own machine reaches makes no join URL and says what to set", async () => {
  using folder = openTempFolder();
  await using hub = await startHub(folder.path);
  const client = createClient(JoinCodeService, hub.connect());
  await expect(client.createJoinCode({ clusterId: "east" })).rejects.toMatchObject({
    message: expect.stringMatching(
      /^this hub listens on 127\.0\.0\.1 only, which other machines cannot reach, so no cluster can join it; start it with --address 0\.0\.0\.0 --public-url https:\/\/HOST:\d+$/,
    ),
  });
});
