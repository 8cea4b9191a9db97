// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../../src/base/random.ts";
import type { KubeAnswer, KubeClient } from "../kubernetes/kube-client.ts";

/** What a writer knows of one of its objects. */
interface Known {
  readonly value: string;
  readonly label: string;
  readonly resourceVersion: string;
}

/** A config map as the API gives it. */
export interface ConfigMap {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** Objects of one writer: few, so that most writes change or delete something. */
const namesPerWriter = 4;
export const namespace = "crash";
export const collection = `/api/v1/namespaces/${namespace}/configmaps`;

/**
 * Writes objects that are its own, one request after the other, as kubectl would: create, replace, patch, delete. So it
 * knows what must be there: what was acknowledged last, or what the one request asked for that a kill left without an
 * answer.
 */
export class CrashWriter {
  readonly #id: string;
  readonly #random: Random;
  readonly #acked = new Map<string, Known>();
  /** The request under way: what its object will be if it is done; undefined for gone. */
  #open: { readonly name: string; readonly wanted: Pick<Known, "value" | "label"> | undefined } | undefined;
  #count = 0;
  ackCount = 0;
  /** The newest version that any answer spoke of. */
  newestVersion = 0;

  constructor(id: string, random: Random) {
    this.#id = id;
    this.#random = random;
  }

  /** Writes until the server is gone, calling `onAck` for each answer. Throws if the server says what it should not. */
  async writeOn(client: KubeClient, isKilled: () => boolean, onAck: () => void): Promise<void> {
    for (;;) {
      const name = `${this.#id}-${this.#random.int(namesPerWriter)}`;
      const known = this.#acked.get(name);
      const isDelete = known !== undefined && this.#random.int(4) === 0;
      this.#count += 1;
      const padding = "x".repeat(this.#random.int(500));
      const wanted = isDelete
        ? undefined
        : { value: `${this.#count} ${padding}`, label: this.#random.int(2) === 0 ? "web" : "db" };
      this.#open = { name, wanted };
      let answer: KubeAnswer;
      try {
        answer = await this.#send(client, name, known, wanted);
      } catch (reason) {
        if (isKilled()) return;
        throw reason;
      }
      this.#acknowledge(name, answer, wanted);
      onAck();
    }
  }

  #send(
    client: KubeClient,
    name: string,
    known: Known | undefined,
    wanted: Pick<Known, "value" | "label"> | undefined,
  ): Promise<KubeAnswer> {
    const path = `${collection}/${name}`;
    if (wanted === undefined) return client.send("DELETE", path);
    const { value, label } = wanted;
    const body = { metadata: { name, labels: { app: label } }, data: { value } };
    if (known === undefined) return client.send("POST", collection, { body });
    if (this.#random.int(2) === 0)
      return client.send("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } });
    const { resourceVersion } = known;
    return client.send("PUT", path, { body: { ...body, metadata: { ...body.metadata, resourceVersion } } });
  }

  #acknowledge(name: string, { status, body }: KubeAnswer, wanted: Pick<Known, "value" | "label"> | undefined): void {
    if (status !== 200 && status !== 201) throw new Error(`${name} was answered ${status}: ${JSON.stringify(body)}`);
    this.ackCount += 1;
    this.#open = undefined;
    if (wanted === undefined) {
      this.#acked.delete(name);
      return;
    }
    const written = toKnown(body as ConfigMap);
    if (written.value !== wanted.value) throw new Error(`${name} was answered with another value`);
    const before = Number(this.#acked.get(name)?.resourceVersion ?? 0);
    if (Number(written.resourceVersion) <= before) throw new Error(`the version of ${name} went back from ${before}`);
    this.#acked.set(name, written);
    this.newestVersion = Math.max(this.newestVersion, Number(written.resourceVersion));
  }

  /**
   * Throws unless the objects are what was acknowledged, or in one place what the unanswered request asked for. Goes on
   * from what is there.
   */
  check(objects: ReadonlyMap<string, ConfigMap>): void {
    for (let index = 0; index < namesPerWriter; index += 1) {
      const name = `${this.#id}-${index}`;
      const found = objects.get(name);
      const there = found === undefined ? undefined : toKnown(found);
      const acked = this.#acked.get(name);
      if (!isSame(there, acked) && !this.#isDone(name, there)) {
        const said = `${JSON.stringify(acked)}, then ${JSON.stringify(this.#open)}`;
        throw new Error(`${name} is ${JSON.stringify(there)}; acknowledged was ${said}`);
      }
      if (there === undefined) this.#acked.delete(name);
      else this.#acked.set(name, there);
    }
    this.#open = undefined;
  }

  /** True where the request without an answer was carried out. */
  #isDone(name: string, there: Known | undefined): boolean {
    if (this.#open?.name !== name) return false;
    const { wanted } = this.#open;
    if (there === undefined || wanted === undefined) return there === wanted;
    const before = Number(this.#acked.get(name)?.resourceVersion ?? 0);
    return there.value === wanted.value && there.label === wanted.label && Number(there.resourceVersion) > before;
  }
}

function toKnown({ metadata, data }: ConfigMap): Known {
  return {
    value: data?.["value"] ?? "",
    label: metadata.labels?.["app"] ?? "",
    resourceVersion: metadata.resourceVersion,
  };
}

function isSame(a: Known | undefined, b: Known | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.value === b.value && a.label === b.label && a.resourceVersion === b.resourceVersion;
}
