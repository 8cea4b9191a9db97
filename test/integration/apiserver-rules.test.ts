// SPDX-License-Identifier: Apache-2.0
// Rules of docs/spec/apiserver.md that show only on a whole server.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type JsonObject } from "../../src/apiserver/json/json.ts";
import { textAt } from "../../src/apiserver/json/json-fields.ts";
import type { ApiRequest } from "../../src/apiserver/request/api-request.ts";
import { createSubject, type Subject } from "../../src/model/subject.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";

const admin = createSubject({ user: "admin", groups: ["system:masters"] });
const bob = createSubject({ user: "bob" });
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: Subject;
}

describe("our API server", () => {
  let api: TestApiServer;
  let bodiesRead = 0;

  beforeAll(async () => {
    api = await startApiServer(new Map([["t", admin]]));
    await send("/api/v1/namespaces/default/serviceaccounts", {
      method: "POST",
      body: { metadata: { name: "default" } },
    });
    const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "example.com/c" }] } };
    expect(await send("/api/v1/namespaces/default/pods", { method: "POST", body: pod })).toMatchObject({ status: 201 });
  });
  afterAll(() => api.close());

  async function send(
    target: string,
    { method = "GET", body, headers = {}, user = admin }: Sent = {},
  ): Promise<{ status: number; body: JsonObject }> {
    const url = new URL(target, "https://unused.invalid");
    const request: ApiRequest = {
      method,
      path: decodeURIComponent(url.pathname),
      query: url.searchParams,
      user,
      signal: new AbortController().signal,
      header: (name) => headers[name],
      headersUnder: () => [],
      body: () => {
        bodiesRead += 1;
        return Promise.resolve(encoder.encode(body === undefined ? "" : JSON.stringify(body)));
      },
    };
    const response = await api.server.handle(request);
    if (!(response.body instanceof Uint8Array)) throw new Error("a stream was not expected");
    const text = decoder.decode(response.body);
    const isJson = response.contentType?.startsWith("application/json") === true;
    return { status: response.status, body: isJson ? (JSON.parse(text) as JsonObject) : { text } };
  }

  const widgets = (name: string, spec: JsonObject = {}): JsonObject => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: `${name}s`, kind: name[0]?.toUpperCase() + name.slice(1) },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
            },
          },
        },
      ],
      ...spec,
    },
  });

  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

  test("[AP13] a definition is served once its status says so, and goes with its last object", async () => {
    expect(await send("/apis/example.com/v1/widgets")).toMatchObject({ status: 404 });
    expect(await send(crds, { method: "POST", body: widgets("widget") })).toMatchObject({ status: 201 });
    await eventually(async () =>
      expect(JSON.stringify((await send(`${crds}/widgets.example.com`)).body["status"])).toContain(
        "the initial names have been accepted",
      ),
    );
    const path = "/apis/example.com/v1/namespaces/default/widgets";
    const body = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "a", finalizers: ["example.com/hold"] },
    };
    expect(await send(path, { method: "POST", body })).toMatchObject({ status: 201 });
    expect(await send(`${crds}/widgets.example.com`, { method: "DELETE" })).toMatchObject({ status: 200 });
    await eventually(async () => expect(JSON.stringify((await send(`${path}/a`)).body)).toContain("deletionTimestamp"));
    expect(await send(`${crds}/widgets.example.com`)).toMatchObject({ status: 200 });
    const patch = { metadata: { finalizers: null } };
    const headers = { "content-type": "application/merge-patch+json" };
    expect(await send(`${path}/a`, { method: "PATCH", body: patch, headers })).toMatchObject({ status: 200 });
    await eventually(async () => expect((await send(`${crds}/widgets.example.com`)).status).toBe(404));
    expect(await send("/apis/example.com/v1/widgets")).toMatchObject({ status: 404 });
  });

  test("[AP14] whoever may not is told so before the body is read", async () => {
    bodiesRead = 0;
    const refused = await send("/api/v1/namespaces/default/configmaps", { method: "POST", body: { a: 1 }, user: bob });
    expect(refused).toMatchObject({
      status: 403,
      body: {
        reason: "Forbidden",
        message:
          'configmaps is forbidden: User "bob" cannot create resource "configmaps" in API group "" in the namespace "default"',
      },
    });
    expect(bodiesRead).toBe(0);
  });

  test("[AP24] a Pod whose RuntimeClass does not exist is refused", async () => {
    const spec = { runtimeClassName: "gvisor", containers: [{ name: "c", image: "example.com/c" }] };
    const body = { metadata: { name: "sandboxed" }, spec };
    const message = 'pods "sandboxed" is forbidden: pod rejected: RuntimeClass "gvisor" not found';
    const sent = { method: "POST", body };
    expect(await send("/api/v1/namespaces/default/pods", sent)).toMatchObject({ status: 403, body: { message } });
    const runtimeClass = { metadata: { name: "gvisor" }, handler: "runsc", overhead: { podFixed: { cpu: "50m" } } };
    await send("/apis/node.k8s.io/v1/runtimeclasses", { method: "POST", body: runtimeClass });
    expect(await send("/api/v1/namespaces/default/pods", sent)).toMatchObject({
      status: 201,
      body: { spec: { overhead: { cpu: "50m" } } },
    });
  });

  test.each(["healthz", "livez", "readyz"])("[AP22] /%s?verbose lists the checks", async (path) => {
    const { status, body } = await send(`/${path}?verbose`);
    expect(status).toBe(200);
    const lines = (textAt(body, "text") ?? "").split("\n");
    expect(lines[0]).toBe("[+]ping ok");
    expect(lines).toContain("[+]etcd ok");
    expect(lines.slice(-2)).toEqual([`${path} check passed`, ""]);
    for (const line of lines.slice(0, -2)) {
      const [, check = ""] = /^\[\+\](\S+) ok$/.exec(line) ?? [];
      expect(await send(`/${path}/${check}`)).toEqual({ status: 200, body: { text: "ok" } });
    }
    const excluded = await send(`/${path}?verbose&exclude=etcd&exclude=nope`);
    expect(excluded.body["text"]).toContain("[+]etcd excluded: ok\n");
    expect(excluded.body["text"]).toContain('cannot be excluded: no matches for "nope"\n');
  });

  test.for<{ what: string; target: string; sent: Sent; status: number; says: RegExp }>([
    {
      what: "server-side apply",
      target: "/api/v1/namespaces/default/configmaps/a?fieldManager=me",
      sent: { method: "PATCH", body: {}, headers: { "content-type": "application/apply-patch+yaml" } },
      status: 501,
      says: /server-side apply is not supported yet/,
    },
    {
      what: "a definition with CEL rules",
      target: crds,
      sent: {
        method: "POST",
        body: widgets("gadget", {
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] } },
            },
          ],
        }),
      },
      status: 422,
      says: /not supported yet/,
    },
    {
      what: "a definition of two served versions",
      target: crds,
      sent: {
        method: "POST",
        body: widgets("gadget", {
          versions: ["v1", "v2"].map((name) => ({
            name,
            served: true,
            storage: name === "v1",
            schema: { openAPIV3Schema: { type: "object" } },
          })),
        }),
      },
      status: 422,
      says: /not supported yet/,
    },
    {
      what: "exec",
      target: "/api/v1/namespaces/default/pods/a/exec?command=sh",
      sent: { method: "POST" },
      status: 501,
      says: /pods\/exec is not supported yet/,
    },
    {
      what: "a ResourceQuota",
      target: "/api/v1/namespaces/default/resourcequotas",
      sent: { method: "POST", body: { metadata: { name: "q" }, spec: { hard: { pods: "1" } } } },
      status: 501,
      says: /ResourceQuotas are not enforced here yet, so none can be created/,
    },
    ...["mutating", "validating"].flatMap((sort) => [
      {
        what: `a ${sort} webhook`,
        target: `/apis/admissionregistration.k8s.io/v1/${sort}webhookconfigurations`,
        sent: { method: "POST", body: { metadata: { name: "w" } } },
        status: 501,
        says: /Admission webhooks are not called here yet, so none can be configured/,
      },
      {
        what: `a ${sort} policy`,
        target: `/apis/admissionregistration.k8s.io/v1/${sort}admissionpolicies`,
        sent: { method: "POST", body: { metadata: { name: "p" }, spec: {} } },
        status: 501,
        says: /Admission policies are not evaluated here yet, so none can be created/,
      },
    ]),
  ])("[AP17] $what is refused with a clear sentence and changes nothing", async ({ target, sent, status, says }) => {
    const before = api.server.cluster.cache.revision;
    const answered = await send(target, sent);
    expect(answered.status).toBe(status);
    expect(answered.body).toMatchObject({
      kind: "Status",
      status: "Failure",
      message: expect.stringMatching(says) as unknown,
    });
    expect(api.server.cluster.cache.revision).toBe(before);
  });
});
