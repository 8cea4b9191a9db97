// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { ConfigProblemsError } from "./config-problem.ts";
import { type ConfigInput, readConfig } from "./read-config.ts";
import { fakeFiles, input } from "./testing/config-input.ts";

function mistakesOf(
  verb: "hub" | "token create" | "token revoke" | "cluster join",
  given: Partial<ConfigInput>,
): string[] {
  try {
    readConfig(verb, input(given));
  } catch (reason) {
    if (!(reason instanceof ConfigProblemsError)) throw reason;
    return reason.mistakes.map(({ place, sentence }) => `${place}: ${sentence}`);
  }
  return [];
}

describe("[U-74] precedence", () => {
  const readFile = fakeFiles({ f: "port: 3\n", g: "port: 4\n" });
  const argv = ["--port", "1"];
  const env = { FLOTILLA_PORT: "2" };
  const file = { FLOTILLA_CONFIG: "f" };

  test.each<[string, Partial<ConfigInput>, number, string, string]>([
    ["a flag wins over everything", { argv, env: { ...env, ...file } }, 1, "flag", "--port"],
    ["a variable wins over the file", { env: { ...env, ...file } }, 2, "variable", "FLOTILLA_PORT"],
    ["the file wins over the default", { env: file }, 3, "file", "f:1:7"],
    ["--config wins over FLOTILLA_CONFIG", { argv: ["--config=g"], env: file }, 4, "file", "g:1:7"],
    ["the default holds otherwise", {}, 7443, "default", "default"],
    ["an empty variable is as good as none", { env: { FLOTILLA_PORT: "" } }, 7443, "default", "default"],
  ])("%s", (_name, given, port, source, place) => {
    const { config, settings } = readConfig("hub", input({ readFile, ...given }));
    expect(config.port).toBe(port);
    expect(settings.find(({ spec }) => spec.name === "port")).toMatchObject({ source, place });
  });

  test("a list given nearer replaces the one further off, it does not add to it", () => {
    const files = fakeFiles({ f: "hosts: [a, b]\n" });
    expect(readConfig("hub", input({ argv: ["--hosts", "c"], env: file, readFile: files })).config.hosts).toEqual([
      "c",
    ]);
  });
});

test("the configuration is frozen, lists too", () => {
  const { config } = readConfig("hub", input());
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.encryptedResources)).toBe(true);
});

test("a relative path in the file starts from the file's folder, on the command line from the working folder", () => {
  const readFile = fakeFiles({ "/etc/f/f.yaml": "data-dir: store\ntls-cert-file: /abs.crt\ntls-key-file: k\n" });
  const { config } = readConfig("hub", input({ argv: ["--config", "/etc/f/f.yaml"], readFile }));
  expect(config).toMatchObject({ dataDir: "/etc/f/store", tlsCertFile: "/abs.crt", tlsKeyFile: "/etc/f/k" });
  expect(readConfig("hub", input({ argv: ["--data-dir", "store"] })).config.dataDir).toBe("store");
});

test("one file may hold the settings of several verbs", () => {
  const readFile = fakeFiles({ f: "port: 1\nhub: https://hub.example.com\n" });
  expect(readConfig("hub", input({ argv: ["--config=f"], readFile })).config.port).toBe(1);
  expect(readConfig("token list", input({ argv: ["--config=f"], readFile })).config.hub).toBe(
    "https://hub.example.com",
  );
});

describe("[U-76] mistakes", () => {
  test("everything wrong is listed at once, by name and place, in the order of reading", () => {
    const text = ["port: many", "prot: 1", "request-timeout: 30", "log-level: loud", "hub: ftp://x"].join("\n");
    const given = {
      argv: ["--config", "f.yaml", "--max-message-size", "1B", "--colour"],
      env: { FLOTILLA_ADMIN_PORT: "70000" },
      readFile: fakeFiles({ "f.yaml": text }),
    };
    expect(mistakesOf("hub", given)).toEqual([
      'command line: unknown flag "--colour"',
      '--max-message-size: "1B" must be between 64KiB and 1GiB',
      'FLOTILLA_ADMIN_PORT: "70000" is not between 0 and 65535',
      'f.yaml:1:7: port "many" is not a whole number',
      'f.yaml:2:1: unknown setting "prot"; did you mean port?',
      'f.yaml:3:18: request-timeout "30" is not a duration such as 500ms, 30s, 5m, 24h or 7d',
      'f.yaml:4:12: log-level "loud" is not one of auto, debug, info, warn, error',
      'f.yaml:5:6: hub "ftp://x" must be a URL such as https://hub.example.com:7443',
    ]);
  });

  test("line 10 comes after line 9", () => {
    const readFile = fakeFiles({ f: `${"\n".repeat(8)}port: x\nlog-level: y\nunknown: 1\n` });
    const places = mistakesOf("hub", { argv: ["--config=f"], readFile }).map((mistake) => mistake.split(": ")[0]);
    expect(places).toEqual(["f:9:7", "f:10:12", "f:11:1"]);
  });

  test("a wrong value is reported though a flag overrides it", () => {
    expect(mistakesOf("hub", { argv: ["--port", "1"], env: { FLOTILLA_PORT: "x" } })).toHaveLength(1);
  });

  test("rules over two options are checked and name their place", () => {
    expect(mistakesOf("hub", { argv: ["--tls-cert-file", "c", "--http-port", "7443"] })).toEqual([
      "--http-port: is the same port as port",
      "--tls-cert-file: is given without tls-key-file; give both or neither",
    ]);
    expect(mistakesOf("hub", { argv: ["--port=0", "--http-port=0", "--admin-port=0"] })).toEqual([]);
  });

  test("[CL22] an option of cluster join that could not act is refused, also where its value is the default", () => {
    const args = [{ name: "ID" }];
    const join = (...argv: string[]): string[] => mistakesOf("cluster join", { args, argv: ["east", ...argv] });
    expect(join("--join-ttl", "1h")).toEqual([
      "--join-ttl: works only with --token-only; a join URL is valid for ten minutes",
    ]);
    expect(join("--description", "x")).toEqual([
      "--description: works only with --token-only; a join URL has no description",
    ]);
    expect(join("--token-only", "--wait")).toEqual(["--wait: does not work with --token-only; remove one of the two"]);
    expect(join("--wait")).toEqual([]);
    expect(join("--token-only", "--join-ttl", "2h", "--description", "x")).toEqual([]);
    expect(mistakesOf("token create", { argv: ["--user", "a", "--description", "x"] })).toEqual([]);
  });

  test("[IN25] an option about the management cluster is refused without that cluster", () => {
    expect(mistakesOf("hub", { argv: ["--gitops-context", "m", "--gitops-interval", "30s"] })).toEqual([
      "--gitops-context: is given without gitops-kubeconfig",
      "--gitops-interval: is given without gitops-kubeconfig",
    ]);
    expect(mistakesOf("hub", { argv: ["--gitops-kubeconfig", "k", "--gitops-namespaces", "fleet"] })).toEqual([]);
    expect(mistakesOf("hub", { argv: [] })).toEqual([]);
  });

  test("a wrong value is not reported again as a missing one", () => {
    expect(mistakesOf("hub", { argv: ["--tls-cert-file=c", "--tls-key-file="] })).toEqual([
      '--tls-key-file: "" is not a path',
    ]);
  });

  test("a file that is not there is a mistake of whoever named it", () => {
    expect(mistakesOf("hub", { env: { FLOTILLA_CONFIG: "gone" } })).toEqual([
      "FLOTILLA_CONFIG: cannot be read: gone does not exist",
    ]);
  });

  test("a port that Kubernetes set for a Service is explained", () => {
    const [message] = mistakesOf("hub", { env: { FLOTILLA_PORT: "tcp://10.96.0.7:7443" } });
    expect(message).toContain("enableServiceLinks: false");
  });

  test("missing and surplus arguments and flags are named", () => {
    const args = [{ name: "ID" }];
    expect(mistakesOf("token revoke", { args })).toEqual(["command line: ID is missing"]);
    expect(mistakesOf("token revoke", { args, argv: ["a", "b"] })).toEqual([
      'command line: "b" is an unexpected argument',
    ]);
    expect(mistakesOf("token create", {})).toEqual(["--user: is missing and must be given"]);
  });

  test("a time to live that would round to for ever is refused", () => {
    expect(mistakesOf("token create", { argv: ["--user=a", "--ttl=500ms"] })).toHaveLength(1);
  });

  test("[L18] a token put in the wrong place is not repeated", () => {
    expect(mistakesOf("hub", { argv: ["--port", "flt_abcdef"] }).join()).not.toContain("abcdef");
  });

  test("two hundred mistakes are counted, not all listed", () => {
    const text = Array.from({ length: 200 }, (_value, at) => `unknown${at}: 1`).join("\n");
    const read = () => readConfig("hub", input({ argv: ["--config=f"], readFile: fakeFiles({ f: text }) }));
    expect(read).toThrow(/has 200 mistakes[^]*and 150 more$/);
  });
});

test("a variable that nothing reads and that looks like a slip is warned about; Kubernetes' own are not", () => {
  const env = { FLOTILLA_DATADIR: "x", FLOTILLA_HUB_SERVICE_HOST: "10.0.0.1", FLOTILLA_HUB_PORT_7443_TCP: "tcp://x" };
  expect(readConfig("hub", input({ env })).warnings).toEqual([
    "unknown variable FLOTILLA_DATADIR; did you mean FLOTILLA_DATA_DIR?",
  ]);
});
