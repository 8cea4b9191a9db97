// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeRequest, KubeSource } from "../../kube/kube-source.ts";
import { maxObjectBytes } from "../../session/tunnel/tunnel.ts";
import { readObject } from "./read-object.ts";
import type { AllowedRead } from "./read-policy.ts";

const read: AllowedRead = {
  gvr: { group: "apps", version: "v1", resource: "deployments" },
  namespace: "shop",
  name: "web",
  actAs: { user: "ann", uid: undefined, groups: ["dev"], extra: new Map() },
};

/** An API server that answers each path with these bytes, one after another, or fails with this. */
class Source implements KubeSource {
  readonly requests: KubeRequest[] = [];
  openCount = 0;
  readonly #answer: (path: string) => readonly (Uint8Array | Error)[];

  constructor(answer: (path: string) => readonly (Uint8Array | Error)[]) {
    this.#answer = answer;
  }

  async request(request: KubeRequest, signal: AbortSignal): ReturnType<KubeSource["request"]> {
    signal.throwIfAborted();
    this.requests.push(request);
    const parts = this.#answer(request.path);
    const [first] = parts;
    if (first instanceof Error) throw first;
    return { status: 200, headers: new Map(), body: this.#body(parts) };
  }

  async *#body(parts: readonly (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
    this.openCount += 1;
    try {
      for (const part of parts) {
        if (part instanceof Error) throw part;
        yield part;
      }
    } finally {
      this.openCount -= 1;
    }
  }
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The text of the object, or the code and the sentence of the failure. */
async function outcomeOf(source: KubeSource, change: Partial<AllowedRead> = {}, signal = new AbortController().signal) {
  let text = "";
  try {
    for await (const bytes of readObject({ source, requestTimeoutMs: 10_000 }, { ...read, ...change }, signal))
      text += new TextDecoder().decode(bytes);
    return text;
  } catch (reason) {
    if (!(reason instanceof FlotillaError)) throw reason;
    return `${reason.code}: ${reason.message}`;
  }
}

test("[TU8] [TU9] one GET as the user, and the bytes as they come", async () => {
  const source = new Source(() => [bytesOf('{"kind":'), bytesOf('"Deployment"}')]);
  expect(await outcomeOf(source)).toBe('{"kind":"Deployment"}');
  expect(source.requests).toEqual([
    {
      method: "GET",
      path: "/apis/apps/v1/namespaces/shop/deployments/web",
      actAs: read.actAs,
      deadlineMs: 10_000,
    },
  ]);
});

describe("[TU8] a refusal", () => {
  const serverMessage = 'deployments.apps "web" is forbidden: User "ann" cannot get resource "deployments"';
  const forbidden = new KubeError("forbidden", "GET … was answered 403", { status: 403, serverMessage });

  test("of the user carries the message of the API server", async () => {
    const source = new Source((path) => (path === "/livez" ? [bytesOf("ok")] : [forbidden]));
    expect(await outcomeOf(source)).toBe(`PERMISSION_DENIED: ${serverMessage}`);
    expect(source.requests.map(({ path, actAs }) => [path, actAs])).toEqual([
      ["/apis/apps/v1/namespaces/shop/deployments/web", read.actAs],
      ["/livez", read.actAs],
    ]);
    expect(source.openCount).toBe(0);
  });

  test("of the agent, which may not act for the user, is reported as that, with what to do", async () => {
    const source = new Source(() => [forbidden]);
    expect(await outcomeOf(source)).toBe(
      `PERMISSION_DENIED: the agent may not act for users in its cluster (${serverMessage}); \`flotilla agent manifest --object-reads\` has the rights it needs`,
    );
  });

  test("counts as the user's where nothing more can be learned", async () => {
    const source = new Source((path) => [path === "/livez" ? new KubeError("timeout", "late") : forbidden]);
    expect(await outcomeOf(source)).toBe(`PERMISSION_DENIED: ${serverMessage}`);
  });

  test("of the agent's own credential is not one of the user's", async () => {
    const source = new Source(() => [
      new KubeError("unauthorized", "401", { status: 401, serverMessage: "Unauthorized" }),
    ]);
    expect(await outcomeOf(source)).toBe("UNAVAILABLE: the API server does not take the agent's own credential");
    expect(source.requests).toHaveLength(1);
  });
});

test.each<[KubeError, string]>([
  [
    new KubeError("notFound", "x", { status: 404, serverMessage: 'deployments.apps "web" not found' }),
    'NOT_FOUND: deployments.apps "web" not found',
  ],
  [
    new KubeError("overloaded", "x", { status: 429, serverMessage: "too many requests" }),
    "OVERLOADED: too many requests",
  ],
  [
    new KubeError("serverError", "GET /x at https://10.0.0.1 was answered 502", { status: 502 }),
    "UNAVAILABLE: the API server of the cluster answered 502 and no reason",
  ],
  [
    new KubeError("tcp", "GET /x: connecting to https://10.0.0.1:6443: the connection was refused"),
    "UNAVAILABLE: the API server of the cluster does not answer its agent (tcp)",
  ],
  [
    new KubeError("timeout", "GET /x at https://10.0.0.1:6443: no answer"),
    "DEADLINE_EXCEEDED: the API server of the cluster does not answer its agent (timeout)",
  ],
])("what the API server fails with is told, and not where it is: %s", async (error, outcome) => {
  expect(await outcomeOf(new Source(() => [error]))).toBe(outcome);
});

test("a refusal of the agent's own making is reported as it is", async () => {
  const source = new Source(() => [new KubeError("forbidden", "the credential for east already impersonates a user")]);
  expect(await outcomeOf(source)).toBe("PERMISSION_DENIED: the credential for east already impersonates a user");
  expect(source.requests).toHaveLength(1);
});

test("[TU9] a body that breaks off is a failure", async () => {
  const source = new Source(() => [bytesOf("{"), new KubeError("tcp", "the connection broke")]);
  expect(await outcomeOf(source)).toBe("UNAVAILABLE: the API server of the cluster does not answer its agent (tcp)");
  expect(source.openCount).toBe(0);
});

test("[TU5] the most bytes are read, one more is refused with what to do, and the rest is not asked for", async () => {
  const most = new Uint8Array(maxObjectBytes).fill(0x61);
  expect((await outcomeOf(new Source(() => [most]))).length).toBe(maxObjectBytes);
  const source = new Source(() => [most, bytesOf("a"), new Error("this was not to be read")]);
  expect(await outcomeOf(source)).toBe(
    `TOO_LARGE: "web" has more than ${maxObjectBytes} bytes; read it with kubectl at its cluster`,
  );
  expect(source.openCount).toBe(0);
});

test("[TU4] a caller that leaves gets no answer, and nothing stays open", async () => {
  const leaving = new AbortController();
  const source = new Source(() => [bytesOf("{"), bytesOf("}")]);
  for await (const _bytes of readObject({ source, requestTimeoutMs: 1 }, read, leaving.signal)) break;
  expect(source.openCount).toBe(0);
  leaving.abort(new Error("gone"));
  await expect(outcomeOf(source, {}, leaving.signal)).rejects.toThrow("gone");
});
