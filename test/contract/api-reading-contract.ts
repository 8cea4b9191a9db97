// SPDX-License-Identifier: Apache-2.0
// What a client may rely on when it lists and watches: held by kube-apiserver, by our own API server and by the
// simulated one alike.
import { expect, test } from "vitest";
import type { KubeSource } from "../../src/kube/kube-source.ts";
import { fieldOf, listOf, parseJson, readBody, textOf } from "../../src/kube/reflector/parse-kube-json.ts";
import { splitLines } from "../../src/kube/reflector/split-lines.ts";

/** A server under test with the namespaces it has, and ConfigMaps to write there. */
export interface ReadingSubject {
  readonly source: KubeSource;
  put(namespace: string, name: string): Promise<void>;
  delete(namespace: string, name: string): Promise<void>;
  /** Makes positions from before this call expire; undefined where a test cannot. */
  readonly expire?: (() => Promise<void>) | undefined;
  /** Two namespaces that nothing else writes to, new for each test. */
  freshNamespaces(): Promise<readonly [string, string]>;
}

interface SeenEvent {
  readonly type: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly endsInitialEvents: boolean;
  readonly code: unknown;
}

const maxBytes = 1024 * 1024;

function pathOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

async function list(source: KubeSource, path: string, query: Readonly<Record<string, string>> = {}) {
  const request = { method: "GET", path, query, deadlineMs: 10_000 } as const;
  const answer = await source.request(request, new AbortController().signal);
  const document = parseJson((await readBody(answer.body, maxBytes)) ?? new Uint8Array(), path);
  const metadata = fieldOf(document, "metadata");
  const names = listOf(document, "items").map((item) => textOf(fieldOf(item, "metadata"), "name"));
  return { names, resourceVersion: textOf(metadata, "resourceVersion"), continueToken: textOf(metadata, "continue") };
}

/** A watch whose events are taken one by one. */
class OpenWatch implements AsyncDisposable {
  readonly #controller = new AbortController();
  #events: AsyncGenerator<SeenEvent, void> | undefined;

  static async open(source: KubeSource, path: string, query: Readonly<Record<string, string>>): Promise<OpenWatch> {
    const watch = new OpenWatch();
    const request = {
      method: "GET",
      path,
      query: { watch: "true", ...query },
      deadlineMs: 10_000,
      isWatch: true,
    } as const;
    const answer = await source.request(request, watch.#controller.signal);
    watch.#events = readEvents(answer.body);
    return watch;
  }

  /** The next event; undefined at the end. */
  async next(): Promise<SeenEvent | undefined> {
    const result = await this.#events?.next();
    return result?.value ?? undefined;
  }

  async take(count: number): Promise<string[]> {
    const seen: string[] = [];
    while (seen.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      if (event.type !== "BOOKMARK") seen.push(`${event.type} ${event.name}`);
    }
    return seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#events?.return();
    this.#controller.abort(new Error("enough seen"));
  }
}

async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SeenEvent, void> {
  for await (const lines of splitLines(body, maxBytes))
    for (const line of lines) {
      if (line.kind === "tooLong") throw new Error("an event is too long");
      const event = parseJson(line.bytes, "an event");
      const object = fieldOf(event, "object");
      const metadata = fieldOf(object, "metadata");
      yield {
        type: textOf(event, "type"),
        name: textOf(metadata, "name"),
        resourceVersion: textOf(metadata, "resourceVersion"),
        endsInitialEvents: fieldOf(fieldOf(metadata, "annotations"), "k8s.io/initial-events-end") === "true",
        code: fieldOf(object, "code"),
      };
    }
}

/** Declares the tests of the contract for one server. */
export function describeReading(open: () => ReadingSubject): void {
  test("[KU11] a list comes in pages of one resourceVersion, in the order of names, untouched by writes in between", async () => {
    const { source, put, ...subject } = open();
    const [namespace] = await subject.freshNamespaces();
    for (const name of ["e", "a", "c", "b", "d"]) await put(namespace, name);
    const first = await list(source, pathOf(namespace), { limit: "2" });
    await put(namespace, "aa");
    await subject.delete(namespace, "d");
    const second = await list(source, pathOf(namespace), { limit: "2", continue: first.continueToken });
    const third = await list(source, pathOf(namespace), { limit: "2", continue: second.continueToken });
    expect([first.names, second.names, third.names]).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(new Set([first, second, third].map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
    expect(third.continueToken).toBe("");
  });

  test("[KU10] a watch from the list's resourceVersion has each change after it, once and in order", async () => {
    const { source, put, ...subject } = open();
    const [namespace, other] = await subject.freshNamespaces();
    await put(namespace, "a");
    const { resourceVersion } = await list(source, pathOf(namespace));
    await put(namespace, "b");
    await using watch = await OpenWatch.open(source, pathOf(namespace), { resourceVersion });
    await put(namespace, "a");
    await put(other, "x");
    await subject.delete(namespace, "b");
    await put(namespace, "b");
    expect(await watch.take(4)).toEqual(["ADDED b", "MODIFIED a", "DELETED b", "ADDED b"]);
  });

  test("[KU10] a watch resumes after the event whose resourceVersion it is given, a deletion's included", async () => {
    const { source, put, ...subject } = open();
    const [namespace] = await subject.freshNamespaces();
    const { resourceVersion } = await list(source, pathOf(namespace));
    await put(namespace, "a");
    await put(namespace, "b");
    await subject.delete(namespace, "a");
    await put(namespace, "c");
    const seen: SeenEvent[] = [];
    {
      await using watch = await OpenWatch.open(source, pathOf(namespace), { resourceVersion });
      while (seen.length < 4)
        seen.push(
          (await watch.next()) ?? { type: "", name: "", resourceVersion: "", endsInitialEvents: false, code: 0 },
        );
    }
    expect(new Set(seen.map((event) => event.resourceVersion)).size).toBe(4);
    for (const [nth, { resourceVersion: from }] of seen.slice(0, 3).entries()) {
      await using watch = await OpenWatch.open(source, pathOf(namespace), { resourceVersion: from });
      const rest = seen.slice(nth + 1).map(({ type, name }) => `${type} ${name}`);
      expect(await watch.take(rest.length)).toEqual(rest);
    }
  });

  test("[KU11] sendInitialEvents gives what is there, the bookmark that ends it, then changes", async () => {
    const { source, put, ...subject } = open();
    const [namespace] = await subject.freshNamespaces();
    await put(namespace, "a");
    await put(namespace, "b");
    const query = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" };
    await using watch = await OpenWatch.open(source, pathOf(namespace), query);
    const initial = [await watch.next(), await watch.next(), await watch.next()];
    expect(initial.map((event) => `${event?.type} ${event?.name}`).sort()).toEqual(["ADDED a", "ADDED b", "BOOKMARK "]);
    expect(initial[2]).toMatchObject({ type: "BOOKMARK", endsInitialEvents: true });
    await put(namespace, "c");
    expect(await watch.take(1)).toEqual(["ADDED c"]);
    await using resumed = await OpenWatch.open(source, pathOf(namespace), {
      resourceVersion: initial[2]?.resourceVersion ?? "",
    });
    expect(await resumed.take(1)).toEqual(["ADDED c"]);
  });

  test("[KU13] a watch has a bookmark before it ends, and ends in order after timeoutSeconds", async () => {
    const { source, put, ...subject } = open();
    const [namespace, other] = await subject.freshNamespaces();
    const { resourceVersion } = await list(source, pathOf(namespace));
    const query = { resourceVersion, allowWatchBookmarks: "true", timeoutSeconds: "6" };
    await using watch = await OpenWatch.open(source, pathOf(namespace), query);
    // A change that this watch does not tell: the bookmark is how it learns of the position after it.
    await put(other, "x");
    const types: string[] = [];
    for (let event = await watch.next(); event !== undefined; event = await watch.next()) types.push(event.type);
    expect(new Set(types)).toEqual(new Set(["BOOKMARK"]));
  });

  test("[KU12] a position that expired is told by an ERROR event of 410, or by the answer itself", async ({ skip }) => {
    const { source, put, expire, ...subject } = open();
    skip(expire === undefined, "its history cannot be cut by a test");
    const [namespace] = await subject.freshNamespaces();
    await put(namespace, "a");
    const { resourceVersion } = await list(source, pathOf(namespace));
    await put(namespace, "b");
    await expire?.();
    const told = async (): Promise<unknown> => {
      await using watch = await OpenWatch.open(source, pathOf(namespace), { resourceVersion });
      const event = await watch.next();
      return { type: event?.type, code: event?.code, isOver: (await watch.next()) === undefined };
    };
    expect(await told().catch((reason: unknown) => fieldOf({ ...Object(reason) }, "fault"))).toBeOneOf([
      expect.objectContaining({ type: "ERROR", code: 410, isOver: true }),
      "expired",
    ]);
  });

  test("[KU19] metadata.namespace and metadata.name select, in lists and watches; an unknown field is refused with 400", async () => {
    const { source, put, ...subject } = open();
    const [one, two] = await subject.freshNamespaces();
    await put(one, "left-out");
    await put(two, "kept");
    const path = "/api/v1/configmaps";
    const all = await list(source, path, { fieldSelector: `metadata.namespace!=${one}` });
    expect(all.names).toContain("kept");
    expect(all.names).not.toContain("left-out");
    await using watch = await OpenWatch.open(source, path, {
      resourceVersion: all.resourceVersion,
      fieldSelector: `metadata.namespace!=${one},metadata.name!=odd`,
    });
    await put(one, "again");
    await put(two, "odd");
    await put(two, "seen");
    expect(await watch.take(1)).toEqual(["ADDED seen"]);
    await expect(list(source, path, { fieldSelector: "spec.nothing=x" })).rejects.toMatchObject({
      status: 400,
      fault: "refused",
    });
  });

  test("[KU18] discovery comes aggregated with a tag, and 304 for that tag", async () => {
    const { source } = open();
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const ask = async (more: Readonly<Record<string, string>> = {}) => {
      const request = { method: "GET", path: "/api", headers: { accept, ...more }, deadlineMs: 10_000 } as const;
      const answer = await source.request(request, new AbortController().signal);
      return { answer, bytes: (await readBody(answer.body, maxBytes)) ?? new Uint8Array() };
    };
    const { answer, bytes } = await ask();
    const document = parseJson(bytes, "/api");
    expect(textOf(document, "kind")).toBe("APIGroupDiscoveryList");
    const etag = answer.headers.get("etag") ?? "";
    expect(etag).not.toBe("");
    expect((await ask({ "if-none-match": etag })).answer.status).toBe(304);
  });

  test("[KU4] a resource that is not served is answered 404", async () => {
    const { source } = open();
    await expect(list(source, "/apis/example.com/v1/nothings")).rejects.toMatchObject({
      status: 404,
      fault: "notFound",
    });
  });
}
