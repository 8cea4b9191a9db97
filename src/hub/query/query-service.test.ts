// SPDX-License-Identifier: Apache-2.0
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { Subject } from "../../model/subject.ts";
import { toConnectError } from "../../rpc/rpc-error.ts";
import { callerKey, callKey } from "../../rpc/server/call-context.ts";
import type { ServiceEntry } from "../../rpc/server/connect-router.ts";
import { CredentialTerms } from "../fleet-services/credential-terms.ts";
import { KindDetails } from "../fleet-services/kind-details.ts";
import { PageRig } from "../page/testing/page-rig.ts";
import type { TunnelQuestion } from "../tunnels/tunnel-broker.ts";
import { createQueryService } from "./query-service.ts";
import { checkClusterGlobs } from "./visible-clusters.ts";

const asker: Subject = { user: "ann", groups: ["dev", "system:authenticated"] };
const pod = { cluster: "east", kind: "Pod", namespace: "shop", name: "web-1" };

let rig: PageRig;

beforeEach(async () => {
  rig = await PageRig.start();
});

afterEach(async () => {
  await rig.stop();
});

/** The object, or the sentence of the failure with its code in front. */
async function outcomeOf(entry: ServiceEntry, request: Partial<typeof pod> = {}): Promise<string> {
  const transport = createRouterTransport((router) => void router.service(entry.service, entry.implementation), {
    router: {
      interceptors: [
        (next) => (call) => {
          call.contextValues.set(callKey, { requestId: "req_test", log: silentLogger });
          call.contextValues.set(callerKey, { tokenId: "tok", subject: asker, ended: new AbortController().signal });
          return next(call).catch((reason: unknown) => {
            throw toConnectError(reason, "req_test");
          });
        },
      ],
    },
  });
  return createClient(QueryService, transport)
    .getObject({ ...pod, ...request })
    .then(
      ({ object }) => object,
      (reason: unknown) => (reason as Error).message,
    );
}

/** The service over a tunnel broker that answers every read with this body. */
function serviceOver(body: Uint8Array, questions: TunnelQuestion[] = []): ServiceEntry {
  const { fleet, health } = rig.hub;
  const parts = { fleet, health, details: new KindDetails(), credentials: new CredentialTerms(), clock: rig.clock };
  const readObject = async (question: TunnelQuestion): Promise<Uint8Array> => {
    questions.push(question);
    return body;
  };
  return createQueryService({
    ...parts,
    grants: { of: () => ({ kind: "open" }) },
    tunnels: { readObject },
    authorizer: rig.authorizer,
  });
}

/** The service as the hub has it. */
function hubService(): ServiceEntry {
  const entry = rig.hub.services.find(({ service }) => service.typeName === QueryService.typeName);
  if (entry === undefined) throw new Error("the hub does not answer questions");
  return entry;
}

test("[TU10] the caller's name and groups go with the question, and the kind as the cluster calls it", async () => {
  await rig.arrive("east");
  const questions: TunnelQuestion[] = [];
  const object = '\ufeff{"kind":"Pod","note":"é\\u0000 𝄞"}\n';
  expect(await outcomeOf(serviceOver(new TextEncoder().encode(object), questions))).toBe(object);
  expect(questions).toMatchObject([
    { cluster: "east", read: { ...asker, resource: "pods", namespace: "shop", name: "web-1" } },
  ]);
});

test("[TU9] bytes that no text holds are refused, not changed", async () => {
  await rig.arrive("east");
  expect(await outcomeOf(serviceOver(new Uint8Array([0x7b, 0xff, 0x7d])))).toBe(
    "[invalid_argument] the answer of the agent of east is not UTF-8",
  );
});

describe("[TU10] no agent is asked", () => {
  test.each([
    ["for a cluster that is not registered", { cluster: "west" }, /^\[not_found\] there is no cluster "west"/],
    ["for a cluster that objects have by themselves", { cluster: "__proto__" }, /^\[not_found\]/],
    ["for a kind that it does not follow", { kind: "Bogus" }, /^\[not_found\] east has no kind "Bogus"/],
    [
      "for a name longer than any",
      { name: "n".repeat(254) },
      /^\[invalid_argument\] "n+…" is longer than a Kubernetes name/,
    ],
    ["for a namespace longer than any", { namespace: "é".repeat(127) }, /^\[invalid_argument\]/],
  ])("%s", async (_what, request, sentence) => {
    await rig.arrive("east");
    const questions: TunnelQuestion[] = [];
    expect(await outcomeOf(serviceOver(new Uint8Array(), questions), request)).toMatch(sentence);
    expect(questions).toEqual([]);
  });

  test("[TU3] which serves no tunnels: nothing is sent to it, and the sentence has the option that is missing", async () => {
    const agent = await rig.arrive("east");
    expect(await outcomeOf(hubService())).toMatch(/^\[permission_denied\] the agent of east .*--object-reads/);
    expect(agent.count("openTunnel")).toBe(0);
  });

  test("which is not connected: the sentence has the reason", async () => {
    await rig.arrive("east");
    await rig.lose("east");
    expect(await outcomeOf(hubService())).toMatch(
      /^\[unavailable\] the agent of east is not connected, so its objects cannot be read now\. \S/,
    );
  });
});

describe("requests beyond bounds are refused before anything is read", () => {
  test.each([
    ["too many patterns", Array.from({ length: 101 }, () => "*")],
    ["a pattern longer than any name", ["a".repeat(64)]],
  ])("%s of clusters", (_what, globs) => {
    expect(() => checkClusterGlobs(globs)).toThrow(
      "at most 100 patterns of clusters are allowed, each of at most 63 characters",
    );
  });

  test("a pattern of each cluster is taken", () => {
    expect(checkClusterGlobs(["east", "prod-*"])).toEqual(["east", "prod-*"]);
  });
});
