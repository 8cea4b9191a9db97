// SPDX-License-Identifier: Apache-2.0
// The objects that an API server itself returns to a user: by `kubectl get -A --as`, then by narrower requests where
// that is refused (QL13).
import { listOf, textOf } from "../../../src/kinds/fields.ts";
import type { Subject } from "../../../src/model/subject.ts";
import type { KubectlRunner } from "../../e2e/kubectl/run-kubectl.ts";
import type { KubeClient } from "../kube-client.ts";
import { impersonate } from "../rbac/impersonate.ts";
import { runBounded } from "../run-bounded.ts";
import { type ComparedKind, comparedKinds } from "./compared-kinds.ts";

/** Requests under way at once. */
export const requestsInFlight = 16;

/** Keys `namespace/name` by the resource of a compared kind. */
export type KeysByResource = ReadonlyMap<string, ReadonlySet<string>>;

function keyOf(object: unknown): string {
  return `${textOf(object, "metadata", "namespace") ?? ""}/${textOf(object, "metadata", "name")}`;
}

/** The argument by which kubectl finds a kind of one group. */
function kubectlName({ plural }: ComparedKind, { group, version }: ComparedKind["groups"][number]): string {
  return group === "" ? plural : `${plural}.${version}.${group}`;
}

/**
 * What `kubectl get KINDS -A --as USER` prints, and the kinds that the server does not let the user list so. Throws if
 * kubectl fails for any reason besides those refusals.
 */
async function getAll(kubectl: KubectlRunner, { user, groups }: Subject) {
  const names = comparedKinds.flatMap((kind) => kind.groups.map((group) => kubectlName(kind, group)));
  const as = [`--as=${user}`, ...groups.map((group) => `--as-group=${group}`)];
  const { code, stdout, stderr } = await kubectl.run(["get", names.join(","), "-A", "-o", "json", ...as]);
  const complaints = stderr.split("\n").filter((line) => line !== "");
  const refused = new Set(
    complaints.map((line) => {
      const plural = /^Error from server \(Forbidden\): (\S+) is forbidden: /.exec(line)?.[1];
      if (plural === undefined) throw new Error(`kubectl get --as=${user} complains: ${line}`);
      return plural;
    }),
  );
  if ((code === 0) !== (refused.size === 0)) throw new Error(`kubectl get --as=${user} ended with ${code}: ${stderr}`);
  return { items: stdout === "" ? [] : listOf(JSON.parse(stdout), "items"), refused };
}

/** The API server as its users see it. */
export class ServerVisible {
  readonly #admin: KubeClient;
  readonly #kubectl: KubectlRunner;
  readonly #all: ReadonlyMap<string, readonly unknown[]>;

  private constructor(admin: KubeClient, kubectl: KubectlRunner, all: ReadonlyMap<string, readonly unknown[]>) {
    this.#admin = admin;
    this.#kubectl = kubectl;
    this.#all = all;
  }

  /** Reads the objects that named requests ask for. `admin` and the runner's user may impersonate. */
  static async open(admin: KubeClient, kubectl: KubectlRunner): Promise<ServerVisible> {
    const all = new Map<string, readonly unknown[]>();
    for (const kind of comparedKinds) {
      all.set(kind.resource, listOf(await admin.ask("GET", pathsOf(kind)[0] ?? ""), "items"));
    }
    return new ServerVisible(admin, kubectl, all);
  }

  /** Every object of the compared kinds, as `KeysByResource`. */
  get all(): KeysByResource {
    return new Map([...this.#all].map(([resource, objects]) => [resource, new Set(objects.map(keyOf))]));
  }

  /** What some list, or get by name, of this user returns. */
  async visibleTo(user: Subject): Promise<KeysByResource> {
    const { items, refused } = await getAll(this.#kubectl, user);
    const visible = new Map<string, ReadonlySet<string>>();
    for (const kind of comparedKinds) {
      const listed = items.filter((item) => textOf(item, "kind") === kind.kind).map(keyOf);
      const isRefused = kind.groups.every(({ group }) =>
        refused.has(group === "" ? kind.plural : `${kind.plural}.${group}`),
      );
      visible.set(kind.resource, new Set(isRefused ? await this.#byNarrowerRequests(kind, user) : listed));
    }
    return visible;
  }

  /** Lists of one namespace, and where these are refused, lists and gets by name. */
  async #byNarrowerRequests(kind: ComparedKind, user: Subject): Promise<readonly string[]> {
    const objects = this.#all.get(kind.resource) ?? [];
    const byNamespace = Map.groupBy(objects, (object) => textOf(object, "metadata", "namespace") ?? "");
    const found = await runBounded([...byNamespace], requestsInFlight, async ([namespace, members]) => {
      const paths = pathsOf(kind, namespace);
      const listed = namespace === "" ? [] : (await Promise.all(paths.map((path) => this.#keysIn(path, user)))).flat();
      return listed.length > 0 ? listed : this.#byName(kind, namespace, members, user);
    });
    return found.flat();
  }

  async #byName(kind: ComparedKind, namespace: string, members: readonly unknown[], user: Subject) {
    const paths = [...pathsOf(kind, namespace), ...(namespace === "" ? [] : pathsOf(kind))];
    const found = await runBounded(members, requestsInFlight, async (object) => {
      const name = encodeURIComponent(textOf(object, "metadata", "name") ?? "");
      const requests = [
        ...pathsOf(kind, namespace).map((path) => `${path}/${name}`),
        ...paths.map((path) => `${path}?fieldSelector=metadata.name%3D${name}`),
      ];
      return (await Promise.all(requests.map((path) => this.#keysIn(path, user)))).flat();
    });
    return found.flat();
  }

  /** The keys that a request returns; none if it is refused. */
  async #keysIn(path: string, user: Subject): Promise<readonly string[]> {
    const { status, body } = await this.#admin.send("GET", path, { headers: impersonate(user) });
    if (status === 403) return [];
    if (status !== 200) throw new Error(`GET ${path} as ${user.user} was answered ${status}`);
    return textOf(body, "metadata", "name") === undefined ? listOf(body, "items").map(keyOf) : [keyOf(body)];
  }
}

/** The list of a kind in each of its groups, of one namespace or of all. */
function pathsOf({ groups, plural }: ComparedKind, namespace = ""): readonly string[] {
  const within = namespace === "" ? "" : `namespaces/${namespace}/`;
  return groups.map(({ group, version }) => {
    const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    return `${root}/${within}${plural}`;
  });
}
