// SPDX-License-Identifier: Apache-2.0
// Hostile requests over HTTP. What is sent follows from the seed; how four senders interleave is up to the machine.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { maxBodyBytes } from "../../src/apiserver/http/read-http.ts";
import type { DraftObject } from "../../src/apiserver/json/json.ts";
import { loadSchemaTable } from "../../src/apiserver/schema/load-schema-table.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createSubject } from "../../src/model/subject.ts";
import { mastersGroup } from "../../src/rbac/authorizer-chain.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { protobufSamples } from "../kubernetes/protobuf-samples.ts";
import { isWholeRun } from "../kubernetes/whole-run.ts";
import { type FuzzAnswer, FuzzClient } from "../support/api-fuzz-client.ts";
import { slowText } from "../support/api-fuzz-definitions.ts";
import { type FuzzRequest, FuzzRequests } from "../support/api-fuzz-requests.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";

const seed = "apiserver-fuzz-1";
const requestCount = isWholeRun() ? 200_000 : 5_000;
const senderCount = 4;
/** In all of these the lists are asked for at the end. Custom resources have no protobuf. */
const listForms = [
  "application/json",
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/vnd.kubernetes.protobuf,application/json",
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
];

let server: TestApiServer;
let client: FuzzClient;

beforeAll(async () => {
  server = await startApiServer(new Map([["token", createSubject({ user: "fuzzer", groups: [mastersGroup] })]]));
  client = new FuzzClient(server, "token", systemClock);
  for (const name of ["default", "kube-system", "fuzz"]) await post("/api/v1/namespaces", { metadata: { name } });
});

afterAll(async () => {
  client.close();
  await server.close();
});

function toRequest(method: string, path: string, body?: DraftObject, accept = "application/json"): FuzzRequest {
  return {
    method,
    path,
    headers: { accept, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  };
}

const post = (path: string, body: DraftObject): Promise<FuzzAnswer> => client.send(toRequest("POST", path, body));
const get = (path: string, accept?: string): Promise<FuzzAnswer> =>
  client.send(toRequest("GET", path, undefined, accept));

/** What is wrong with an answer; undefined for an honest one. */
function faultOf({ method, path }: FuzzRequest, { status, contentType, text }: FuzzAnswer): string | undefined {
  // The real server's own 500 for a malformed strategic merge patch, and for a resourceVersion on create, has no
  // reason.
  if (status === 500 && text.includes("InternalError")) return "a failure of ours";
  if (contentType !== "application/json" || method === "HEAD" || status === 304) return undefined;
  // Of a stream that was cut, only whole lines are there.
  const texts = path.includes("watch") ? text.split("\n").slice(0, -1) : [text];
  try {
    for (const each of texts) JSON.parse(each);
    return undefined;
  } catch (reason) {
    return `not JSON: ${String(reason)}`;
  }
}

function tell(request: FuzzRequest, what: string): string {
  const body = request.body === undefined ? "" : Buffer.from(request.body).toString("utf8").slice(0, 1000);
  return `${what}: ${request.method} ${request.path} ${JSON.stringify(request.headers)} ${body}`;
}

/**
 * A body that is too long is refused before it was read: the connection may end before the client, still sending, has
 * seen the answer.
 */
function isCutShort({ body }: FuzzRequest, reason: unknown): boolean {
  const { code } = reason as { readonly code?: string };
  return (body?.length ?? 0) > maxBodyBytes && (code === "ECONNRESET" || code === "EPIPE");
}

async function sendSome(requests: FuzzRequests, count: number, faults: string[]): Promise<void> {
  for (let sent = 0; sent < count && faults.length < 10; sent += 1) {
    const request = requests.next();
    try {
      const fault = faultOf(request, await client.send(request));
      const told = fault === undefined ? "" : tell(request, fault);
      if (told !== "") faults.push(told);
    } catch (reason) {
      if (!isCutShort(request, reason)) faults.push(tell(request, `no answer: ${String(reason)}`));
    }
  }
}

describe("hostile requests", () => {
  test(`[AP15] ${requestCount} of them: no crash, no failure of ours, no hang, and everything can be read afterwards (seed ${seed})`, async () => {
    const { cluster } = server.server;
    const random = createSeededRandom(seed);
    const faults: string[] = [];
    const senders = Array.from({ length: senderCount }, (_, index) => {
      const requests = new FuzzRequests(
        random.fork(`${index}`),
        loadSchemaTable(),
        () => cluster.resources.all,
        protobufSamples,
      );
      return sendSome(requests, requestCount / senderCount, faults);
    });
    await Promise.all(senders);
    expect(faults).toEqual([]);
    // Without these the test could pass by being refused at the door.
    expect(cluster.cache.revision).toBeGreaterThan(requestCount / 40);
    expect(cluster.resources.all.filter(({ isCustom }) => isCustom)).not.toEqual([]);
    for (const { facts } of cluster.resources.all.filter(({ facts: { verbs } }) => verbs.includes("list"))) {
      const path = `${facts.group === "" ? "/api" : `/apis/${facts.group}`}/${facts.version}/${facts.resource}`;
      for (const accept of listForms) {
        const answer = await get(path, accept);
        expect(`${path} ${answer.status} ${faultOf(toRequest("GET", path), answer) ?? ""}`).toBe(`${path} 200 `);
      }
    }
    for (const accept of ["application/json", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"])
      expect((await get("/openapi/v2", accept)).status).toBe(200);
    expect((await get("/readyz")).status).toBe(200);
    const last = await post("/api/v1/namespaces", { metadata: { name: "after-all-that" } });
    expect(last.status).toBe(201);
    expect(server.server.closing.aborted).toBe(false);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  }, 1_200_000);

  test.each(["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "^(a{0,100}){0,9}$"])(
    "the pattern %s in a definition does not hold up the server",
    async (pattern) => {
      const group = "slow.example.com";
      const collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const defined = await post(collection, {
        metadata: { name: `slows.${group}` },
        spec: {
          group,
          scope: "Cluster",
          names: { plural: "slows", kind: "Slow" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: "object", properties: { text: { type: "string", pattern } } } },
            },
          ],
        },
      });
      expect(defined.status).toBe(201);
      await eventually(async () => expect((await get(`/apis/${group}/v1/slows`)).status).toBe(200));
      const refused = await post(`/apis/${group}/v1/slows`, {
        apiVersion: `${group}/v1`,
        kind: "Slow",
        metadata: { name: "a" },
        text: slowText,
      });
      expect(refused.status).toBe(422);
      expect(refused.tookMs).toBeLessThan(20_000);
      await client.send(toRequest("DELETE", `${collection}/slows.${group}`));
      await eventually(async () => expect((await get(`${collection}/slows.${group}`)).status).toBe(404));
    },
  );
});
