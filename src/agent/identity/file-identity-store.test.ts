// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { createFileIdentityStore, type IdentityFiles } from "./file-identity-store.ts";
import type { AgentIdentityRecord } from "./identity-record.ts";

const never = new AbortController().signal;
const path = "/data/agent-key.json";
const record: AgentIdentityRecord = {
  clusterId: "east",
  hubName: "hub",
  privateKeyPem: "-----BEGIN PRIVATE KEY-----\nabcdefgh\n-----END PRIVATE KEY-----\n",
  tokenMark: "",
  nextPrivateKeyPem: "another",
};

class MemoryFiles implements IdentityFiles {
  readonly files = new Map<string, { readonly text: string; readonly mode: number }>();
  failing: "read" | "write" | "rename" | undefined;

  #meet(step: "read" | "write" | "rename"): void {
    if (this.failing === step) throw new Error(`EIO: ${step}`);
  }

  async read(file: string): Promise<string | undefined> {
    this.#meet("read");
    return this.files.get(file)?.text;
  }

  async write(file: string, text: string, mode: number): Promise<void> {
    this.#meet("write");
    this.files.set(file, { text, mode });
  }

  async rename(from: string, to: string): Promise<void> {
    this.#meet("rename");
    const file = this.files.get(from);
    if (file !== undefined) this.files.set(to, file);
    this.files.delete(from);
  }
}

describe("the file of an agent's key", () => {
  test("is read back whole, and is for its owner alone", async () => {
    const files = new MemoryFiles();
    const store = createFileIdentityStore(path, files);
    expect(await store.load(never)).toBeUndefined();
    await store.save(record, never);
    expect(await store.load(never)).toEqual(record);
    expect([...files.files.keys()]).toEqual([path]);
    expect(files.files.get(path)?.mode).toBe(0o600);
  });

  test("is the old one until the new one is whole", async () => {
    const files = new MemoryFiles();
    const store = createFileIdentityStore(path, files);
    await store.save(record, never);
    for (const step of ["write", "rename"] as const) {
      files.failing = step;
      const failure = store.save({ ...record, hubName: "another" }, never);
      await expect(failure).rejects.toMatchObject({ code: "UNAVAILABLE", cause: { message: `EIO: ${step}` } });
      files.failing = undefined;
      expect(await store.load(never)).toEqual(record);
    }
    files.failing = "read";
    await expect(store.load(never)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("[L18] that is no such file is refused without a word of what it holds", async () => {
    const files = new MemoryFiles();
    files.files.set(path, { text: "-----BEGIN PRIVATE KEY-----", mode: 0o600 });
    const failure = await createFileIdentityStore(path, files)
      .load(never)
      .catch((reason: unknown) => reason);
    expect(failure).toMatchObject({
      code: "CONFIG_INVALID",
      message: "the key file /data/agent-key.json is not a key file of an agent; delete it to join again",
    });
    expect(failure).not.toHaveProperty("cause");
  });
});
