// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { FlotillaError } from "../../base/error.ts";
import type { AgentIdentityRecord } from "./identity-record.ts";
import { SecretIdentityStore } from "./secret-identity-store.ts";
import { SecretServer } from "./testing/secret-server.ts";

const never = new AbortController().signal;
const path = "/api/v1/namespaces/flotilla/secrets/flotilla-agent-key";
const record: AgentIdentityRecord = {
  clusterId: "east",
  hubName: "hub",
  privateKeyPem: "-----BEGIN PRIVATE KEY-----\nabcdefgh\n-----END PRIVATE KEY-----\n",
  tokenMark: "0123456789abcdef",
  nextPrivateKeyPem: "",
};

function open(server: SecretServer): SecretIdentityStore {
  return new SecretIdentityStore({ source: server, namespace: "flotilla", requestTimeoutMs: 10_000 });
}

function failureOf(promise: Promise<unknown>): Promise<FlotillaError> {
  return promise.then(
    () => Promise.reject(new Error("it was expected to fail")),
    (reason: FlotillaError) => reason,
  );
}

describe("the Secret of an agent's key", () => {
  test("is created as an Opaque one and read back whole, by another process too", async () => {
    const server = new SecretServer();
    const store = open(server);
    expect(await store.load(never)).toBeUndefined();
    await store.save(record, never);
    expect(server.secrets.get(path)).toMatchObject({ kind: "Secret", type: "Opaque", apiVersion: "v1" });
    expect(await open(server).load(never)).toEqual(record);
    const next = { ...record, nextPrivateKeyPem: "the next one" };
    await store.save(next, never);
    expect(await open(server).load(never)).toEqual(next);
    await store.save(record, never);
    expect(await open(server).load(never)).toEqual(record);
  });

  test("is not overwritten where another process has created or changed it in between", async () => {
    const server = new SecretServer();
    const [first, second] = [open(server), open(server)];
    await Promise.all([first.load(never), second.load(never)]);
    await first.save(record, never);
    const other = { ...record, privateKeyPem: "another key" };
    expect(await failureOf(second.save(other, never))).toMatchObject({ code: "CONFLICT", next: "retry" });
    expect(await second.load(never)).toEqual(record);
    await first.save({ ...record, hubName: "changed" }, never);
    expect(await failureOf(second.save(other, never))).toMatchObject({ code: "CONFLICT" });
    expect(await second.load(never)).toEqual({ ...record, hubName: "changed" });
  });

  test("that is there without an identity is filled, and keeps whatever else it holds", async () => {
    const server = new SecretServer();
    const given = JSON.parse(
      `{"kind":"Secret","type":"Opaque","metadata":{"name":"flotilla-agent-key","labels":{"team":"a"}},
        "data":{"note":"bm90ZQ==","__proto__":"eA=="}}`,
    ) as { metadata: object };
    server.put(path, given);
    const store = open(server);
    expect(await store.load(never)).toBeUndefined();
    await store.save(record, never);
    const stored = JSON.stringify(server.secrets.get(path));
    expect(stored).toContain('"note":"bm90ZQ=="');
    expect(stored).toContain('"__proto__":"eA=="');
    expect(stored).toContain('"team":"a"');
    expect(await open(server).load(never)).toEqual(record);
  });

  test("that cannot be had now is UNAVAILABLE with what to do, and asked for again", async () => {
    const server = new SecretServer();
    server.faults.push({ fault: "forbidden", message: "secrets is forbidden" });
    expect(await failureOf(open(server).load(never))).toMatchObject({
      code: "UNAVAILABLE",
      message:
        "the Secret flotilla/flotilla-agent-key cannot be read: secrets is forbidden; apply the agent's manifest, whose Role allows it",
    });
    const store = open(server);
    await store.load(never);
    server.faults.push({ fault: "notFound", message: 'namespaces "flotilla" not found' });
    expect(await failureOf(store.save(record, never))).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/cannot be created: .*; the namespace must be there first$/),
    });
    server.faults.push({ fault: "unauthorized" });
    expect(await failureOf(store.save(record, never))).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("without a cluster id beside the key is refused", async () => {
    const server = new SecretServer();
    const data = { "private-key.pem": Buffer.from("a key").toString("base64") };
    server.put(path, { metadata: {}, data });
    const failure = await failureOf(open(server).load(never));
    expect(failure).toMatchObject({ code: "CONFIG_INVALID" });
    expect(failure.message).toContain("flotilla/flotilla-agent-key holds a key without the id of its cluster");
  });

  test("[L18] no error repeats the key, even if the API server does, as text or as base64", async () => {
    const server = new SecretServer();
    for (const text of [record.privateKeyPem, Buffer.from(record.privateKeyPem).toString("base64")]) {
      server.faults.push({ fault: "refused", message: `invalid value: ${text}` });
      const failure = await failureOf(open(server).save(record, never));
      expect(failure.message).toContain("invalid value: [hidden]");
      expect(failure.cause).toBeUndefined();
      expect(failure.stack).not.toContain(text);
    }
  });

  test("a signal that aborts is what its request ends with", async () => {
    const stop = new AbortController();
    const reason = new Error("stopped");
    const source = { request: () => Promise.reject(reason) };
    const store = new SecretIdentityStore({ source, namespace: "flotilla", requestTimeoutMs: 1 });
    stop.abort(reason);
    expect(await failureOf(store.load(stop.signal))).toBe(reason);
    expect(await failureOf(store.save(record, stop.signal))).toBe(reason);
  });
});
