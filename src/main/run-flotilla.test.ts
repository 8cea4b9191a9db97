// SPDX-License-Identifier: Apache-2.0
import { createRouterTransport } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../base/error.ts";
import type { HubAddress } from "../cli/hub/find-hub.ts";
import { recordIo } from "../cli/testing/recorded-io.ts";
import { TokenService } from "../gen/flotilla/admin/v1/admin_pb.ts";
import { fakeFiles } from "./config/testing/config-input.ts";
import { runFlotilla } from "./run-flotilla.ts";
import { defineVerb, type Verb } from "./verbs/verb.ts";
import { verbs } from "./verbs/verbs.ts";

interface World {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly verbs?: readonly Verb[];
  readonly revoke?: () => boolean;
  readonly signal?: AbortSignal;
}

async function run(argv: readonly string[], world: World = {}) {
  const { io, stdout, stderr } = recordIo(world.env);
  const signal = world.signal ?? new AbortController().signal;
  const called: HubAddress[] = [];
  let openCount = 0;
  const exitCode = await runFlotilla(argv, world.verbs ?? verbs, {
    io,
    signal,
    readFile: fakeFiles(world.files ?? {}),
    openTransport: (address) => {
      called.push(address);
      openCount += 1;
      const transport = createRouterTransport(({ service }) => {
        service(TokenService, { listTokens: () => ({}), revokeToken: () => ({ revoked: world.revoke?.() ?? true }) });
      });
      return Promise.resolve({
        ...transport,
        close: () => {
          openCount -= 1;
        },
      });
    },
    version: { version: "1.2.3", runtime: "Node" },
  });
  return { exitCode, stdout: stdout(), stderr: stderr(), called, openCount };
}

describe("[U-76] a wrong configuration", () => {
  test("ends with exit code 2 and every mistake before anything of the verb is loaded, so before any port is open", async () => {
    let isLoaded = false;
    const hub = defineVerb({
      name: "hub",
      summary: "",
      load: () => {
        isLoaded = true;
        return Promise.resolve(() => Promise.resolve());
      },
    });
    const files = { "f.yaml": "port: x\nlog-level: loud\nprot: 1\nhosts: [a b]\ndrain-timeout: 5\n" };
    const wrong = await run(["hub", "--config", "f.yaml"], { verbs: [hub], files });
    expect(wrong.exitCode).toBe(2);
    expect(isLoaded).toBe(false);
    expect(wrong.stderr).toBe(
      [
        "flotilla: the configuration has 5 mistakes",
        '  f.yaml:1:7: port "x" is not a whole number',
        '  f.yaml:2:12: log-level "loud" is not one of auto, debug, info, warn, error',
        '  f.yaml:3:1: unknown setting "prot"; did you mean port?',
        '  f.yaml:4:8: hosts "a b" contains "a b", which is not a host name or an IP address',
        '  f.yaml:5:16: drain-timeout "5" is not a duration such as 500ms, 30s, 5m, 24h or 7d',
        "",
      ].join("\n"),
    );
    const right = await run(["hub", "--port", "0"], { verbs: [hub] });
    expect([right.exitCode, isLoaded]).toEqual([0, true]);
  });

  test("one mistake is one sentence", async () => {
    const { exitCode, stderr } = await run(["token", "list", "--dtaa-dir", "x"]);
    expect([exitCode, stderr]).toEqual([
      2,
      'flotilla: command line: unknown flag "--dtaa-dir"; did you mean --data-dir?\n',
    ]);
  });
});

test("[CL30, L18] a whole file given as the token is not printed as part of an invalid header: exit code 2, no call", async () => {
  const files = { "package.json": '{\n  "private": "s3cr3t"\n}\n' };
  const argv = ["cluster", "list", "--hub", "https://127.0.0.1:1", "--token", "file:package.json"];
  const { exitCode, stdout, stderr, called } = await run(argv, { files });
  expect({ exitCode, stdout, called }).toEqual({ exitCode: 2, stdout: "", called: [] });
  expect(stderr).toMatch(/^flotilla: --token: file:package.json is not an access token: [^\n]*\n$/);
  expect(stderr).not.toContain("s3cr3t");
});

describe("verbs", () => {
  test.each([
    [["tokn"], 'unknown verb "tokn"; did you mean token?'],
    [["colour"], 'unknown verb "colour"; `flotilla help` lists them'],
    [["token"], "token needs one of create, list, revoke, watch after it"],
    [["token", "-o", "json"], "token needs one of create, list, revoke, watch after it"],
    [["token", "lits"], 'token needs one of create, list, revoke, watch after it, not "lits"; did you mean list?'],
    [["-o", "json", "version"], '"-o" is before the verb; put flags after it'],
    [["help", "colour"], 'unknown verb "colour"; `flotilla help` lists them'],
  ])("%j is refused with one sentence and exit code 2", async (argv, sentence) => {
    const { exitCode, stderr, stdout } = await run(argv);
    expect({ exitCode, stderr, stdout }).toEqual({ exitCode: 2, stderr: `flotilla: ${sentence}\n`, stdout: "" });
  });

  test.each([[[]], [["help"]], [["--help"]], [["-h"]]])("%j lists every verb", async (argv) => {
    const { exitCode, stdout } = await run(argv);
    expect(exitCode).toBe(0);
    for (const { name } of verbs) expect(stdout).toContain(`  ${name}`);
  });

  test.each([
    [["help", "token", "create"]],
    [["token", "create", "--help"]],
    [["token", "create", "--user", "x", "-h"]],
  ])("%j shows the verb's flags and does not run it", async (argv) => {
    const { exitCode, stdout, called } = await run(argv);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("usage: flotilla token create [FLAG ...]");
    expect(stdout).toContain("-o, --output text|json|yaml\n      Output format. (default text; FLOTILLA_OUTPUT)");
    expect(called).toEqual([]);
  });

  test("after -- even --help is an argument", async () => {
    expect((await run(["token", "list", "--", "--help"])).exitCode).toBe(2);
  });
});

describe("calls", () => {
  const env = { FLOTILLA_HUB: "https://hub.example.com", FLOTILLA_TOKEN: "flt_ann" };

  test("a hub given by variables is called, and the connection closed", async () => {
    const { exitCode, stdout, called, openCount } = await run(["token", "list"], { env });
    expect({ exitCode, stdout, openCount }).toEqual({ exitCode: 0, stdout: "no tokens\n", openCount: 0 });
    expect(called).toEqual([{ url: "https://hub.example.com", token: "flt_ann" }]);
  });

  test("a failed call closes the connection too, and its code decides the exit code", async () => {
    const { exitCode, stderr, openCount } = await run(["token", "revoke", "tok_9"], { env, revoke: () => false });
    expect({ exitCode, stderr, openCount }).toEqual({
      exitCode: 3,
      stderr: "flotilla: there is no token tok_9\n",
      openCount: 0,
    });
  });

  test("without a hub the exit code is that of unavailable", async () => {
    expect((await run(["token", "list"])).exitCode).toBe(5);
  });

  test("version asks no hub where none is meant", async () => {
    const { exitCode, stdout, called } = await run(["version", "-o", "json"]);
    expect([exitCode, JSON.parse(stdout), called]).toEqual([0, { client: { version: "1.2.3", runtime: "Node" } }, []]);
  });

  test("[CL15] version prints the program's own where the hub does not answer, and fails only for a hub that was named", async () => {
    const files = { "/d/run.json": "{" };
    const running = await run(["version", "--data-dir", "/d"], { files });
    expect([running.exitCode, running.stdout]).toEqual([0, expect.stringMatching(/client +1\.2\.3/)]);
    expect(running.stderr).toContain("/d/run.json");
    const named = await run(["version", "--hub", "https://hub.example.com"], { files });
    expect([named.exitCode, named.stdout]).toEqual([4, expect.stringMatching(/client +1\.2\.3/)]);
    expect(named.stderr).toContain("--hub needs a token");
  });

  test("warnings are said and do not stop the verb", async () => {
    const { exitCode, stderr } = await run(["token", "list"], { env: { ...env, FLOTILLA_TOKN: "x" } });
    expect(exitCode).toBe(0);
    expect(stderr).toBe("flotilla: warning: unknown variable FLOTILLA_TOKN; did you mean FLOTILLA_TOKEN?\n");
  });
});

test.each([
  [new TypeError("bug"), 1],
  [new FlotillaError("LISTEN_FAILED", "port 1 is in use"), 5],
])("a verb that fails with %s exits with %d", async (reason, expected) => {
  const hub = defineVerb({ name: "hub", summary: "", load: () => Promise.resolve(() => Promise.reject(reason)) });
  const { exitCode, stderr } = await run(["hub"], { verbs: [hub] });
  expect(exitCode).toBe(expected);
  expect(stderr).toContain(reason.message);
});

test("a verb that was stopped says nothing and does not pass for done; one that fails while stopping is reported", async () => {
  const signal = AbortSignal.abort(new Error("SIGINT"));
  const rejectWith = (reason: unknown) =>
    defineVerb({ name: "hub", summary: "", load: () => Promise.resolve(() => Promise.reject(reason)) });
  const stopped = await run(["hub"], { signal, verbs: [rejectWith(signal.reason)] });
  expect([stopped.exitCode, stopped.stderr]).toEqual([130, ""]);
  const failed = await run(["hub"], {
    signal,
    verbs: [rejectWith(new FlotillaError("STORE_FULL", "the disk is full"))],
  });
  expect([failed.exitCode, failed.stderr]).toEqual([5, "flotilla: the disk is full\n"]);
});

describe("[IN6] the image of `agent manifest`", () => {
  const manifest = ["agent", "manifest", "--hub", "https://hub.example.com", "--cluster-id", "east"];
  const imageOf = async (argv: readonly string[], env = {}): Promise<string | undefined> => {
    const { stdout } = await run([...manifest, ...argv], { env });
    return /^ +image: (.*)$/m.exec(stdout)?.[1];
  };

  test("is the one of this version, --agent-image or its variable, and before both --image", async () => {
    const env = { FLOTILLA_AGENT_IMAGE: "registry.example.com/hub-wide:1" };
    expect(await imageOf([])).toBe("flotilla.dev/flotilla:1.2.3");
    expect(await imageOf([], env)).toBe("registry.example.com/hub-wide:1");
    expect(await imageOf(["--image", "registry.example.com/one:2"], env)).toBe("registry.example.com/one:2");
  });

  test("that is no image name is refused with what to write", async () => {
    const { exitCode, stdout, stderr } = await run([...manifest, "--agent-image", "My Image"]);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("must be the name of a container image, such as registry.example.com/flotilla:1.2.3");
  });
});

test.each([
  ["up", ["up"]],
  ["agent manifest", ["agent", "manifest", "--hub", "https://hub.example.com", "--cluster-id", "east"]],
])("[KI23] `%s --kinds` with a name of no kind is refused before anything starts", async (_, argv) => {
  const { exitCode, stdout, stderr } = await run([...argv, "--kinds", "default,podz"]);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toBe(
    'flotilla: kind "podz" is not one of the core group; write it with its group, such as certificates.cert-manager.io\n',
  );
});
