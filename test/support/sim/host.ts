// SPDX-License-Identifier: Apache-2.0
import type { SimNetwork } from "./network.ts";
import type { Crash, SimTask, TaskRun } from "./task.ts";
import type { World } from "./world.ts";

export interface SimHostOptions {
  readonly world: World;
  readonly network: SimNetwork;
  /** As the network knows it. */
  readonly name: string;
  readonly disks?: readonly { crash(how: Crash): void }[];
  /** The process on it. It starts anew from its disks after each crash. */
  readonly run: TaskRun;
}

/**
 * A machine with one process, which starts at once. A crash takes network and disks away before the code hears of it
 * (SI5).
 */
export class SimHost {
  readonly #options: SimHostOptions;
  readonly #task: SimTask;

  constructor(options: SimHostOptions) {
    this.#options = options;
    this.#task = options.world.spawn(options.name, options.run);
  }

  get isRunning(): boolean {
    return this.#task.isRunning;
  }

  crash(how: Crash): void {
    const { network, name, disks = [] } = this.#options;
    network.crash(name, how);
    for (const disk of disks) disk.crash(how);
    this.#task.crash();
  }

  /** Asks its process to end in order. */
  stop(): void {
    this.#task.stop();
  }

  /** Brings it back after a crash; nothing if it runs. */
  restart(): void {
    if (this.#task.isRunning) return;
    this.#options.network.restore(this.#options.name);
    this.#task.start();
  }
}
