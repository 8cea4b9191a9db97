// SPDX-License-Identifier: Apache-2.0
import { openMemoryLog, openSqliteLog } from "../support/store-fleet-log.ts";
import { describeFleetLogContract } from "./fleet-log-contract.ts";

describeFleetLogContract("memory", openMemoryLog);
describeFleetLogContract("sqlite", openSqliteLog);
