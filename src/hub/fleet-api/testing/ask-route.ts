// SPDX-License-Identifier: Apache-2.0
// The fleet API without a network: a small fleet, the route over it, and requests as the HTTP layer passes them on.
import { assert } from "../../../base/assert.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import type { RawAnswer, RawRoute } from "../../../rpc/http/raw-route.ts";
import type { FleetApiParts } from "../fleet-api-parts.ts";
import { createFleetApiRoute } from "../fleet-api-route.ts";
import type { SmallFleet } from "./small-fleet.ts";

/** What kubectl accepts for `get`. */
export const tableAccept =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

/** What metadata informers accept. */
export const partialAccept =
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

export interface AskOptions {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly method?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A route over a fleet with a manual clock. The user `root` may do everything, others may list and watch rows. */
export function openRoute(fleet: SmallFleet, parts: Partial<FleetApiParts> = {}): OpenRoute {
  const clock = new ManualClock();
  const route = createFleetApiRoute({
    clock,
    random: createSeededRandom("fleet api"),
    reader: fleet.reader,
    authorizer: {
      isAllowed: ({ user }, request) => user === "root" || (request.kind === "resource" && request.resource === "rows"),
    },
    tunnels: { readObject: () => Promise.reject(new Error("no object is read")) },
    coverageSentence: () => "",
    ...parts,
  });
  return { route, clock };
}

export interface OpenRoute {
  readonly route: RawRoute;
  readonly clock: ManualClock;
}

/** Sends one request to the route; `url` is below `/fleet-api`. */
export async function ask({ route }: OpenRoute, url: string, options: AskOptions = {}): Promise<RawAnswer> {
  const { user = "root", method = "GET", accept = tableAccept, signal = new AbortController().signal } = options;
  const headers: Readonly<Record<string, string>> = { accept, host: "hub.example", ...options.headers };
  const [path = "", query = ""] = `/fleet-api${url}`.split("?");
  const answer = await route.raw({
    method,
    path,
    url: `/fleet-api${url}`,
    query: new URLSearchParams(query),
    requestId: "req_test",
    address: "127.0.0.1",
    caller: {
      tokenId: `tok_${user}`,
      subject: { user, groups: options.groups ?? [] },
      ended: new AbortController().signal,
    },
    log: silentLogger,
    header: (name) => headers[name],
    headers,
    isUpgrade: false,
    body: () => {
      throw new Error("no body is read");
    },
    noteAuthenticated: () => undefined,
    signal,
  });
  assert("body" in answer, "the fleet API switches no protocols");
  return answer;
}

/** The whole body as JSON, streamed or not. */
export async function bodyOf({ body }: RawAnswer): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  if (body instanceof Uint8Array) pieces.push(body);
  else for await (const piece of body) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
}

export interface TableBody {
  readonly metadata: Readonly<Record<string, unknown>> & {
    readonly resourceVersion: string;
    readonly continue?: string;
  };
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[] | null;
  readonly rows: readonly {
    readonly cells: readonly unknown[];
    readonly object: { readonly metadata: Readonly<Record<string, unknown>> };
  }[];
}

/** Requests a table. */
export async function askTable(open: OpenRoute, url: string, options: AskOptions = {}): Promise<TableBody> {
  const answer = await ask(open, url, options);
  const body = await bodyOf(answer);
  assert(answer.status === 200, JSON.stringify(body));
  return body as TableBody;
}

/** Cluster and name of each row. */
export function keysOf({ rows }: TableBody): readonly string[] {
  return rows.map(({ cells: [cluster, name] }) => `${String(cluster)}/${String(name)}`);
}

/** A refused request, by its Status. */
export interface Refused {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/** Sends a request that is refused. */
export async function askRefused(open: OpenRoute, url: string, options: AskOptions = {}): Promise<Refused> {
  const answer = await ask(open, url, options);
  const { kind, reason, message, code } = (await bodyOf(answer)) as Refused & { readonly kind: string };
  assert(kind === "Status" && code === answer.status, "a refusal is a Status");
  return { code, reason, message };
}
