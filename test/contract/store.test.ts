// SPDX-License-Identifier: Apache-2.0
import { openSharedMemory, openSharedSqlite, openSharedWorkers } from "../support/store-shared.ts";
import { openMemoryStore, openSqliteStore, openWorkerStore } from "../support/store-under-test.ts";
import { describeSharedStoreContract, describeStoreContract } from "./store-contract.ts";

describeStoreContract("memory", openMemoryStore);
describeStoreContract("sqlite in this thread", openSqliteStore);
describeStoreContract("sqlite in its own thread", openWorkerStore);

describeSharedStoreContract("two stores on one engine in memory", openSharedMemory);
describeSharedStoreContract("two sqlite connections", openSharedSqlite);
describeSharedStoreContract("two sqlite threads", openSharedWorkers);
