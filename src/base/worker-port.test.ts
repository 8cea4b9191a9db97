// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import type { EchoEngine } from "../../test/support/store-echo-worker.ts";
import { openWorkerPort, type WorkerPort, workerModule } from "./worker-port.ts";

const module = new URL("../../test/support/store-echo-worker.ts", import.meta.url);

const open = (workerData?: unknown): Promise<WorkerPort<EchoEngine>> => openWorkerPort<EchoEngine>(module, workerData);

describe("a port to a thread", () => {
  test("[ST10] calls are answered each with its own value, in the order they were made", async () => {
    const port = await open();
    const bytes = Uint8Array.of(1, 2, 3);
    const answers = await Promise.all(Array.from({ length: 100 }, () => port.echo(bytes)));
    expect(answers.map(({ place }) => place)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(answers[99]?.bytes).toEqual(bytes);
    expect(bytes).toHaveLength(3);
    await port.close();
  });

  test("[ST23] an error of ours crosses with code, message and ids; its cause is for the log", async () => {
    const port = await open();
    const refused = await port.refuse().catch((reason: unknown) => reason);
    expect(refused).toMatchObject({
      name: "FlotillaError",
      code: "STORE_FULL",
      message: "no room",
      ids: { file: "hub.db" },
    });
    expect(refused).toHaveProperty("cause");
    await port.close();
  });

  test("a bug in the engine is INTERNAL and shows nothing of itself; the engine goes on", async () => {
    const port = await open();
    const internal = await port.stumble().catch((reason: unknown) => reason);
    expect(internal).toMatchObject({ code: "INTERNAL" });
    expect(String(internal)).not.toContain("secret");
    expect((await port.echo(new Uint8Array())).place).toBe(1);
    await port.close();
  });

  test("[ST22] an engine that cannot be opened rejects the opening with its own error", async () => {
    await expect(open("refuse to open")).rejects.toMatchObject({ code: "STORE_NEWER", message: "too new" });
  });

  test("[ST7] a thread that ends by itself refuses what is under way and all that follows", async () => {
    const port = await open();
    const calls = [port.die(), port.echo(new Uint8Array(1)), port.echo(new Uint8Array(2))];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "UNAVAILABLE" } });
    }
    await expect(port.echo(new Uint8Array())).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("[ST7] a thread that an unforeseen error ends refuses everything with INTERNAL: nobody waits for ever", async () => {
    const port = await open();
    await Promise.allSettled([port.blowUp()]);
    await expect(untilRefused(port)).resolves.toMatchObject({ code: "INTERNAL" });
    await expect(port.echo(new Uint8Array())).rejects.toMatchObject({ code: "INTERNAL" });
  });

  test("a closed port refuses calls with UNAVAILABLE", async () => {
    const port = await open();
    await port.close();
    await expect(port.echo(new Uint8Array())).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("a worker module is found beside its importer in source and in built form", () => {
    expect(workerModule("a-worker", "file:///x/src/store/open.ts").href).toBe("file:///x/src/store/a-worker.ts");
    expect(workerModule("a-worker", "file:///x/dist/store/open.js").href).toBe("file:///x/dist/store/a-worker.js");
  });
});

async function untilRefused(port: WorkerPort<EchoEngine>): Promise<unknown> {
  for (;;) {
    const refused = await port.echo(new Uint8Array()).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (refused !== undefined) return refused;
  }
}
