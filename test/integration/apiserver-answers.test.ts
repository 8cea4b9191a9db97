// SPDX-License-Identifier: Apache-2.0
// Forms of answers over real connections: protobuf and OpenAPI.
import type { IncomingMessage } from "node:http";
import { connect } from "node:http2";
import { request } from "node:https";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/apiserver/json/json.ts";
import { encodeGnostic } from "../../src/apiserver/openapi/gnostic-document.ts";
import { protobufType } from "../../src/apiserver/request/accept.ts";
import { createSubject } from "../../src/model/subject.ts";
import { mastersGroup } from "../../src/rbac/authorizer-chain.ts";
import { KubeClient } from "../kubernetes/kube-client.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";
import { eventTexts, type SeenEvent } from "../support/api-storage.ts";
import { readAnswer, readFrames } from "../support/watch-frames.ts";

const token = "token";
const configMaps = "/api/v1/namespaces/n/configmaps";

interface Streamed {
  readonly contentType: string;
  readonly chunks: AsyncIterable<Buffer>;
  close(): void;
}

/** A GET in protobuf by both versions of HTTP that the server speaks. */
const transports: Readonly<Record<"HTTP/1.1" | "HTTP/2", (server: TestApiServer, path: string) => Promise<Streamed>>> =
  {
    "HTTP/1.1": async (server, path) => {
      const response = await openRequest(server, path, { accept: protobufType });
      const contentType = response.headers["content-type"] ?? "";
      return { contentType, chunks: response, close: () => response.destroy() };
    },
    "HTTP/2": (server, path) =>
      new Promise((resolve, reject) => {
        const session = connect(server.url, { ca: server.ca });
        session.once("error", reject);
        const stream = session.request({ ":path": path, authorization: `Bearer ${token}`, accept: protobufType });
        stream.once("error", reject);
        stream.once("response", (headers) =>
          resolve({ contentType: String(headers["content-type"]), chunks: stream, close: () => session.destroy() }),
        );
      }),
  };

function openRequest(
  server: TestApiServer,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = request(`${server.url}${path}`, {
      ca: server.ca,
      agent: false,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
    call.once("error", reject);
    call.once("response", resolve);
    call.end();
  });
}

interface OpenApiAnswer {
  readonly status: number;
  readonly etag: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly text: string;
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function definitionOf(plural: string, kind: string): object {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

async function readEvents({ chunks }: Streamed, count: number): Promise<readonly SeenEvent[]> {
  const seen: SeenEvent[] = [];
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const { events, rest } = readFrames(Buffer.concat([pending, chunk]));
    seen.push(...events);
    pending = rest;
    if (seen.length >= count) return seen;
  }
  throw new Error(`the watch ended after ${seen.length} of ${count} events`);
}

describe("forms of answers", () => {
  let server: TestApiServer;
  let client: KubeClient;

  beforeAll(async () => {
    server = await startApiServer(new Map([[token, createSubject({ user: "admin", groups: [mastersGroup] })]]));
    client = new KubeClient({ url: server.url, ca: server.ca, token });
    await client.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "n" } } });
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  const version = (object: unknown): string =>
    (object as { metadata: { resourceVersion: string } }).metadata.resourceVersion;

  async function getBytes(path: string): Promise<{ readonly contentType: string; readonly bytes: Buffer }> {
    const answer = await transports["HTTP/1.1"](server, path);
    const chunks: Buffer[] = [];
    for await (const chunk of answer.chunks) chunks.push(chunk);
    return { contentType: answer.contentType, bytes: Buffer.concat(chunks) };
  }

  test.each(["HTTP/1.1", "HTTP/2"] as const)("[AP30] a watch over %s sends all sorts of events", async (transport) => {
    const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const name = transport === "HTTP/2" ? "two" : "one";
    const selected = `fieldSelector=metadata.name%3D${name}`;
    const watch = await transports[transport](server, `${configMaps}?watch=true&${initial}&${selected}`);
    expect(watch.contentType).toBe("application/vnd.kubernetes.protobuf;stream=watch");
    const body = { metadata: { name }, data: { a: "1" } };
    const created = version(await client.ask("POST", configMaps, { body }));
    const updated = version(await client.ask("PUT", `${configMaps}/${name}`, { body: { ...body, data: { a: "2" } } }));
    await client.ask("DELETE", `${configMaps}/${name}`);
    const events = await readEvents(watch, 4);
    watch.close();
    expect(events[0]).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "ConfigMap", metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    });
    expect(eventTexts(events).slice(1, 3)).toEqual([`ADDED ${name}@${created}`, `MODIFIED ${name}@${updated}`]);
    expect(events[3]).toMatchObject({ type: "DELETED", object: { metadata: { name }, data: { a: "2" } } });
  });

  test("[AP10] a watch from a position that has left the window gets an ERROR event", async () => {
    const body = (value: string): object => ({ metadata: { name: "large" }, data: { value } });
    const start = version(await client.ask("POST", configMaps, { body: body("") }));
    // The window holds 16 MB: an update counts four times the size of its object.
    for (let index = 0; index < 8; index += 1)
      await client.ask("PUT", `${configMaps}/large`, { body: body(`${index}${"x".repeat(900_000)}`) });
    for (const transport of ["HTTP/1.1", "HTTP/2"] as const) {
      const watch = await transports[transport](server, `${configMaps}?watch=true&resourceVersion=${start}`);
      expect(await readEvents(watch, 1)).toMatchObject([{ type: "ERROR", object: { kind: "Status", code: 410 } }]);
      watch.close();
    }
    await client.ask("DELETE", `${configMaps}/large`);
  });

  test.each([
    ["a list", "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
    ["an object", "/api/v1/namespaces/n"],
    ["a scale that is refused", "/apis/apps/v1/namespaces/n/deployments/none/scale"],
    ["a Status", "/api/v1/namespaces/none"],
  ])("[AP30] %s holds what JSON says", async (_label, path) => {
    const { contentType, bytes } = await getBytes(path);
    expect(contentType).toBe(protobufType);
    expect(readAnswer(bytes)).toEqual((await client.send("GET", path)).body);
  });

  test("[AP31] a client that takes only protobuf is refused a custom resource before it is written", async () => {
    await client.ask("POST", definitions, { body: definitionOf("widgets", "Widget") });
    const path = "/apis/example.com/v1/widgets";
    const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
    const send = async (accept: string): Promise<number> => {
      const { status } = await client.send("POST", path, { body, headers: { accept } });
      return status;
    };
    await expect.poll(() => send(protobufType), { timeout: 20_000 }).toBe(406);
    expect((await client.ask("GET", path)) as JsonObject).toMatchObject({ items: [] });
    expect(await send(`${protobufType},application/json`)).toBe(201);
  });

  test("[AP32] a custom resource is in OpenAPI v2 while it is served, and its ETag tells when that changes", async () => {
    const [before, same] = [await getOpenApi(), await getOpenApi()];
    expect(before.status).toBe(200);
    expect(same.etag).toBe(before.etag);
    expect((await getOpenApi({ "if-none-match": before.etag })).status).toBe(304);
    await client.ask("POST", definitions, { body: definitionOf("gadgets", "Gadget") });
    const isPublished = async (): Promise<boolean> => {
      const { status, text, etag } = await getOpenApi({ "if-none-match": before.etag });
      return status === 200 && etag !== before.etag && text.includes('"com.example.v1.Gadget":{');
    };
    await expect.poll(isPublished, { timeout: 20_000 }).toBe(true);
    await client.ask("DELETE", `${definitions}/gadgets.example.com`);
    await expect.poll(async () => (await getOpenApi()).etag, { timeout: 20_000 }).toBe(before.etag);
  });

  test("[AP33] OpenAPI v2 is sent compressed to those who take it so, in both forms", async () => {
    const gnostic = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const plain = await getOpenApi();
    const packed = await getOpenApi({ "accept-encoding": "gzip" });
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 10);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    const binary = await getOpenApi({ accept: gnostic });
    expect(binary.contentType).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    expect(binary.etag).toBe(plain.etag);
    expect(binary.bytes.equals(encodeGnostic(JSON.parse(plain.text) as JsonObject))).toBe(true);
    expect((await getOpenApi({ accept: "text/html" })).status).toBe(406);
  });

  async function getOpenApi(headers: Readonly<Record<string, string>> = {}): Promise<OpenApiAnswer> {
    const response = await openRequest(server, "/openapi/v2", headers);
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    return {
      status: response.statusCode ?? 0,
      etag: response.headers.etag ?? "",
      contentType: response.headers["content-type"] ?? "",
      bytes,
      text: bytes.toString(),
    };
  }
});
