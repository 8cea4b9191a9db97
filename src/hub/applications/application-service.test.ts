// SPDX-License-Identifier: Apache-2.0
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { ApplicationService } from "../../gen/flotilla/query/v1/application_pb.ts";
import type { GrantedApplication } from "../../index/access/application-objects.ts";
import { createHubAuthorizer } from "../../rbac/hub-roles.ts";
import { permissionOf } from "../../rpc/auth/permission.ts";
import { createErrorTransport } from "../../rpc/client/error-transport.ts";
import type { Exchange } from "../../rpc/http/exchange.ts";
import { toConnectError } from "../../rpc/rpc-error.ts";
import { callerKey, callKey, exchangeKey } from "../../rpc/server/call-context.ts";
import { createStore } from "../../store/create-store.ts";
import { put, type Store } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import { MemoryEngine } from "../../store/testing/memory-engine.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { openQueryStore } from "../saved-queries/testing/query-store.ts";
import { applicationKey } from "./application-record.ts";
import { createApplicationService } from "./application-service.ts";
import { Applications } from "./applications.ts";
import { followApplications } from "./follow-applications.ts";

const exchange = { request: { socket: { remoteAddress: "127.0.0.1", remotePort: 1 } } } as unknown as Exchange;
const shop = { name: "shop", selector: "cluster:prod-* ns:shop kind:Pod", users: ["anna"], groups: ["sre"] };

let clock: ManualClock;
let store: Store;
let client: Client<typeof ApplicationService>;
let actions: string[];

beforeEach(async () => {
  clock = new ManualClock();
  store = await openQueryStore(clock);
  const audit = new AuditLog({ store, clock, log: silentLogger });
  actions = [];
  audit.listen(({ action, target }) => void actions.push(`${action} ${target}`));
  const { service, implementation } = createApplicationService(new Applications({ store, audit, clock }));
  const inner = createRouterTransport((router) => router.service(service, implementation), {
    router: {
      interceptors: [
        (next) => (request) => {
          const subject = { user: "root", groups: [] };
          request.contextValues.set(callerKey, { tokenId: "tok", subject, ended: new AbortController().signal });
          request.contextValues.set(exchangeKey, exchange).set(callKey, { requestId: "req", log: silentLogger });
          return next(request).catch((reason: unknown) => {
            throw toConnectError(reason, "req");
          });
        },
      ],
    },
  });
  const transport = createErrorTransport(inner, { url: "https://127.0.0.1", timeoutMs: 30_000 });
  client = createClient(ApplicationService, transport);
});

afterEach(() => store.close());

async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (reason) {
    if (reason instanceof FlotillaError) return `${reason.code} ${reason.message}`;
    throw reason;
  }
  throw new Error("the call succeeded");
}

test("[AG1] [AG5] applications are created, granted and deleted, each with its audit record", async () => {
  const { application } = await client.createApplication(shop);
  expect(application).toMatchObject({ name: "shop", selector: "cluster=prod-* ns=shop kind=Pod" });
  expect(await refusal(client.createApplication(shop))).toMatch(/^ALREADY_EXISTS/);
  const granted = await client.grantApplication({ name: "shop", addUsers: ["bob"], removeUsers: ["anna"] });
  expect(granted.application).toMatchObject({ users: ["bob"], groups: ["sre"] });
  await client.grantApplication({ name: "shop", addUsers: ["bob"] });
  expect((await client.listApplications({})).applications).toMatchObject([{ name: "shop", users: ["bob"] }]);
  await client.deleteApplication({ name: "shop" });
  expect((await client.listApplications({})).applications).toEqual([]);
  expect(await refusal(client.deleteApplication({ name: "shop" }))).toMatch(/^NOT_FOUND/);
  expect(actions).toEqual(["application.create shop", "application.grant shop", "application.delete shop"]);
});

test.each([
  [{ name: "Shop" }, /not a name of an application/],
  [{ selector: "ns:shop" }, /selector, column 8/],
  [{ groups: ["system:authenticated"] }, /cannot be granted/],
  [{ users: [""] }, /1 to 256 characters/],
  [{ users: Array.from({ length: 101 }, (_, at) => `u${at}`) }, /at most 100/],
  [{ description: "x".repeat(2_000) }, /description/],
])("[AG1] %j is refused", async (change, sentence) => {
  expect(await refusal(client.createApplication({ ...shop, ...change }))).toMatch(sentence);
});

test("[AG1] hubs that create at the same time do not exceed 100 applications together", async () => {
  const engine = new MemoryEngine({ clock, storeId: "st_test" });
  const hubs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const shared = await createStore(createInThreadPort(engine), { clock, bookmarkMs: 365 * 86_400_000 });
      const audit = new AuditLog({ store: shared, clock, log: silentLogger });
      return new Applications({ store: shared, audit, clock });
    }),
  );
  const [first] = hubs;
  const createAt = async (hub: Applications | undefined, name: string): Promise<unknown> =>
    hub?.create({ ...shop, name, description: "" }, { user: "root", tokenId: "", address: "", requestId: "" });
  for (let at = 0; at < 99; at += 1) await createAt(first, `app-${at}`);
  const results = await Promise.allSettled(hubs.map((hub, at) => createAt(hub, `last-${at}`)));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const result of results)
    if (result.status === "rejected") expect(result.reason).toHaveProperty("code", "OVERLOADED");
  expect(await first?.list()).toHaveLength(100);
});

test("[AG5] administrators alone may create, grant and delete; operators may list", () => {
  const allows = (group: string): readonly string[] =>
    ApplicationService.methods.flatMap((method) => {
      const declared = permissionOf(method);
      if (declared.kind !== "resource") return [];
      const verdict = createHubAuthorizer()({ user: "u", groups: [group] }, declared.attributes);
      return verdict.decision === "allow" ? [method.name] : [];
    });
  expect(allows("flotilla:admins")).toHaveLength(4);
  expect(allows("flotilla:operators")).toEqual(["ListApplications"]);
  expect(allows("flotilla:viewers")).toEqual([]);
});

test("[AG5] each change is passed on as a whole, and an application that cannot be read shows nothing [L16]", async () => {
  const sets: string[][] = [];
  const stop = new AbortController();
  const set = (all: readonly GrantedApplication[]): void =>
    void sets.push(all.map(({ name, users }) => `${name} ${users.join()}`));
  const following = followApplications(
    { store, clock, random: createSeededRandom("follow"), log: silentLogger, set },
    stop.signal,
  );
  const ended = expect(following).rejects.toThrow("done");
  await settle();
  await client.createApplication(shop);
  await client.grantApplication({ name: "shop", removeUsers: ["anna"] });
  await settle();
  await store.commit([put(objects, applicationKey("shop"), { body: new TextEncoder().encode("{}") })]);
  await settle();
  expect(sets).toEqual([[], ["shop anna"], ["shop "], []]);
  stop.abort(new Error("done"));
  await ended;
});
