// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { KubeError, type KubeFault } from "./kube-error.ts";
import type { KubeAnswer, KubeRequest, KubeSource } from "./kube-source.ts";
import { type KubeObjectRef, ObjectClient, type ObjectOutcome, objectOf } from "./object-client.ts";

const never = new AbortController().signal;
const pod: KubeObjectRef = { resource: { group: "", version: "v1", resource: "pods" }, namespace: "shop", name: "a b" };
const role: KubeObjectRef = {
  resource: { group: "rbac.authorization.k8s.io", version: "v1", resource: "clusterroles" },
  name: "viewer",
};

/** A client of an API server that answers this text, or fails so; and what it was asked. */
function clientOf(answer: string | Error): { readonly client: ObjectClient; readonly asked: KubeRequest[] } {
  const asked: KubeRequest[] = [];
  const source: KubeSource = {
    request(request) {
      asked.push(request);
      return typeof answer === "string" ? Promise.resolve(toAnswer(answer)) : Promise.reject(answer);
    },
  };
  return { client: new ObjectClient({ source, requestTimeoutMs: 7_000, maxBodyBytes: 32 }), asked };
}

function toAnswer(text: string): KubeAnswer {
  async function* body(): AsyncGenerator<Uint8Array, void> {
    yield new TextEncoder().encode(text);
  }
  return { status: 200, headers: new Map(), body: body() };
}

const calls: Readonly<Record<string, (client: ObjectClient, signal: AbortSignal) => Promise<ObjectOutcome>>> = {
  "GET /api/v1/namespaces/shop/pods/a%20b": (client, signal) => client.get(pod, signal),
  "POST /api/v1/namespaces/shop/pods application/json": (client, signal) => client.create(pod, {}, signal),
  "POST /api/v1/namespaces/shop/pods/a%20b/eviction application/json": (client, signal) =>
    client.create({ ...pod, subresource: "eviction" }, {}, signal),
  "PUT /apis/rbac.authorization.k8s.io/v1/clusterroles/viewer application/json": (client, signal) =>
    client.update(role, {}, signal),
  "PATCH /apis/rbac.authorization.k8s.io/v1/clusterroles/viewer application/merge-patch+json": (client, signal) =>
    client.mergePatch(role, {}, signal),
  "PATCH /api/v1/namespaces/shop/pods/a%20b/status application/apply-patch+yaml fieldManager=flotilla force=true": (
    client,
    signal,
  ) => client.apply({ ...pod, subresource: "status" }, {}, { fieldManager: "flotilla", force: true }, signal),
  "PATCH /api/v1/namespaces/shop/pods/a%20b application/apply-patch+yaml fieldManager=flotilla": (client, signal) =>
    client.apply(pod, {}, { fieldManager: "flotilla" }, signal),
  "DELETE /api/v1/namespaces/shop/pods/a%20b application/json": (client, signal) =>
    client.delete(pod, { uid: "u1" }, signal),
};

test.each(Object.entries(calls))("[AP45] asks %s with its deadline and gives the object", async (line, call) => {
  const { client, asked } = clientOf('{"kind":"Pod"}');
  expect(await call(client, never)).toEqual({ kind: "ok", object: { kind: "Pod" } });
  const seen = asked.map(({ method, path, headers, query, deadlineMs }) => {
    const asks = Object.entries(query ?? {}).map(([name, value]) => `${name}=${value}`);
    const words = [method, path, headers?.["content-type"] ?? "", ...asks];
    return [words.filter((word) => word !== "").join(" "), deadlineMs];
  });
  expect(seen).toEqual([[line, 7_000]]);
});

test.each(Object.entries(calls))(
  "[AP45] %s: not found and conflict are values, other faults are thrown",
  async (_, call) => {
    for (const kind of ["notFound", "conflict"] as const) {
      const error = new KubeError(kind, "told by the server");
      expect(await call(clientOf(error).client, never)).toEqual({ kind, error });
    }
    const thrown: readonly KubeFault[] = [
      "forbidden",
      "unauthorized",
      "timeout",
      "serverError",
      "overloaded",
      "refused",
    ];
    for (const fault of thrown) {
      const error = new KubeError(fault, "told by the server");
      await expect(call(clientOf(error).client, never)).rejects.toBe(error);
    }
    const stopped = new Error("stopped");
    await expect(call(clientOf(stopped).client, AbortSignal.abort(stopped))).rejects.toBe(stopped);
  },
);

test.each([
  [`{"kind":"${"x".repeat(64)}"}`, "the answer about v1/pods shop/a b has more than 32 bytes"],
  ["[1]", "the answer about v1/pods shop/a b is not an object"],
  ["<html>", "the answer about v1/pods shop/a b is not JSON"],
])("[AP45] an answer of %s is a failure", async (text, message) => {
  await expect(clientOf(text).client.get(pod, never)).rejects.toMatchObject({ fault: "malformed", message });
});

test("[AP45] a delete names what it means, and an outcome that must be an object throws the refusal", async () => {
  const { client, asked } = clientOf("{}");
  objectOf(await client.delete(pod, { uid: "u1", resourceVersion: "7" }, never));
  expect(JSON.parse(new TextDecoder().decode(asked[0]?.body))).toEqual({
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: "Background",
    preconditions: { uid: "u1", resourceVersion: "7" },
  });
  const error = new KubeError("notFound", "gone");
  expect(() => objectOf({ kind: "notFound", error })).toThrow(error);
});
