import { n as describeError, o as SqlError, r as decodeEntries, t as openDatabase } from "./shared-open-database.mjs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { backup } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { performance as performance$1 } from "node:perf_hooks";
// packages/store/src/loop-utilization.ts
/** Returns a function that says how busy the event loop of this thread was since its last call, from 0 to 1. */
function loopUtilization() {
	let last = performance$1.eventLoopUtilization();
	return () => {
		const now = performance$1.eventLoopUtilization();
		const { utilization } = performance$1.eventLoopUtilization(now, last);
		last = now;
		return utilization;
	};
}
// packages/store/src/give-memory-back.ts
/**
* A loop that is busier than this is not held up: a collection may take a tenth of a second. Thousands of viewers that
* only wait keep the loop busy for less.
*/
var maxUtilization = .15;
/**
* Gives memory back after load. V8 collects garbage only while a program allocates: a server that has nothing to do keeps
* the garbage of its last load, and the memory around it, until the next one. So while the event loop has little to do and
* the process has grown by an eighth since the last time, this collects the garbage. What counts is the memory of the process:
* V8 may have collected the garbage by itself, and still keep its memory. Each thread has a heap of its own, and does this
* for itself. Returns a function that ends this.
*/
function giveMemoryBack(options = {}) {
	const { periodMs = 1e4, minGrowthBytes = 33554432, heldBytes = () => process.memoryUsage.rss(), utilization = loopUtilization(), collect } = options;
	let heldBefore = heldBytes();
	let collectNow = collect;
	const look = () => {
		const isIdle = utilization() <= maxUtilization;
		const grownBy = heldBytes() - heldBefore;
		if (!isIdle || grownBy < Math.max(minGrowthBytes, heldBefore / 8)) return;
		collectNow ??= garbageCollector();
		collectNow();
		heldBefore = heldBytes();
	};
	const timer = setInterval(look, periodMs);
	timer.unref();
	return () => clearInterval(timer);
}
/** Node has no function for this. V8 makes one when this flag is set before a context is made. */
function garbageCollector() {
	setFlagsFromString("--expose-gc");
	const gc = runInNewContext("gc");
	return () => gc({
		type: "major",
		execution: "sync",
		flavor: "last-resort"
	});
}
// packages/store/src/sqlite/backup-database.ts
/**
* How many pages of the database are copied in one step: 256 KB. Jobs wait for the step that goes on, so a larger one
* would delay them for longer.
*/
var pagesPerStep = 64;
/**
* Copies a database to a new file while it is written. The copy has everything that was committed before the copy
* ended. SQLite copies in another thread, and refuses to do so during a transaction. So jobs run between two steps.
*/
function backupDatabase(database, path, commits) {
	return commits.whileHeld(async (drain) => {
		await backup(database, path, {
			rate: pagesPerStep,
			progress: drain
		});
	});
}
// packages/store/src/sqlite/compact-database.ts
/**
* Makes the file of a database as small as it can be: does all chores, copies the whole file without its free pages, and
* empties the -wal file. Afterwards the file can give pages back by itself. Takes long, and nothing else can run
* meanwhile. If the process ends in the middle, nothing is lost.
*
* Needs room in the folder of the database for two copies of its contents.
*/
function compactDatabase(database, { logs, chores }) {
	chores.settleAll();
	while (chores.isWaiting) doSlice(database, {
		logs,
		chores
	});
	const folder = dirname(database.location() ?? ".");
	database.exec(`pragma temp_store_directory = '${folder.replaceAll("'", "''")}'`);
	try {
		database.exec("pragma auto_vacuum = incremental");
		database.exec("vacuum");
		database.exec("pragma wal_checkpoint(truncate)");
	} finally {
		database.exec("pragma temp_store_directory = ''");
	}
}
function doSlice(database, { logs, chores }) {
	database.exec("begin immediate");
	try {
		chores.doSlice();
		database.exec("commit");
		logs.tail.commit();
	} catch (error) {
		if (database.isTransaction) database.exec("rollback");
		logs.tail.rollback();
		throw error;
	}
}
// packages/store/src/sqlite/free-pages.ts
/**
* Gives the free pages of a database file back to the disk, in slices. Deleted rows leave free pages in the file. New rows
* use them, so this begins only when more than a quarter of the file is free.
*
* Files of earlier versions cannot give pages back (`auto_vacuum` is off). `compactDatabase` changes that.
*/
var FreePages = class {
	#database;
	#options;
	#canGiveBack;
	#isWaiting = false;
	/** Whether pages were given back since the last checkpoint. The file gets shorter only at a checkpoint. */
	#mustCheckpoint = false;
	constructor(database, options = {}) {
		this.#database = database;
		this.#options = {
			minFreePages: 4096,
			keptFreePages: 1024,
			sliceMs: 2,
			...options
		};
		this.#canGiveBack = this.#pragma("auto_vacuum") === incremental;
	}
	/** Whether there are pages to give back now. */
	get isWaiting() {
		return this.#isWaiting;
	}
	/** Looks whether so much of the file is free that pages should be given back. */
	look() {
		if (!this.#canGiveBack) return;
		const free = this.#pragma("freelist_count");
		this.#isWaiting = free > this.#options.minFreePages && free > this.#pragma("page_count") / 4;
	}
	/** Gives back one slice of the pages, in the transaction that is open. */
	giveBack() {
		const { keptFreePages, sliceMs } = this.#options;
		const end = performance.now() + sliceMs;
		let free;
		do {
			this.#database.exec(`pragma incremental_vacuum(${pagesAtATime})`);
			free = this.#pragma("freelist_count");
		} while (free > keptFreePages && performance.now() < end);
		this.#isWaiting = free > keptFreePages;
		this.#mustCheckpoint = true;
	}
	/** Makes the file shorter if pages were given back. Must be called outside of a transaction. */
	shortenFile() {
		if (!this.#mustCheckpoint || this.#isWaiting) return;
		this.#database.exec("pragma wal_checkpoint(passive)");
		this.#mustCheckpoint = false;
	}
	#pragma(name) {
		return Number(this.#database.prepare(`pragma ${name}`).get()?.[name]);
	}
};
/** The value of `pragma auto_vacuum` for files that give pages back when they are told to. */
var incremental = 2;
/** Few enough to look at the clock often. */
var pagesAtATime = 32;
// packages/store/src/sqlite/log-chores.ts
/**
* The work on the logs that nobody waits for, in slices: moving entries out of the tail, deleting rows of the tail that
* were moved, and deleting the entries of logs that were removed or trimmed.
*/
var LogChores = class {
	#prepare;
	#logs;
	#options;
	/** The rows of the tail up to this one were deleted. */
	#deletedUpTo;
	/** Whether rows of the tail were moved, or their log was removed, since the last look at what can be deleted. */
	#hasMoved = true;
	constructor(prepare, logs, options = {}) {
		this.#prepare = prepare;
		this.#logs = logs;
		this.#options = {
			sliceEntries: 1e3,
			maxTailRows: 262144,
			...options
		};
		const row = prepare("select min(arrival) as arrival from log_tail").get();
		this.#deletedUpTo = Number(row?.["arrival"] ?? logs.tail.lastArrival + 1) - 1;
	}
	/** Whether there is something to do now. */
	get isWaiting() {
		const { tail, toSettle, hasRemovals } = this.#logs;
		return toSettle.size > 0 || hasRemovals || this.#hasMoved || tail.rowCount > this.#options.maxTailRows;
	}
	/** Asks for the entries of all logs to be moved. */
	settleAll() {
		for (const epoch of this.#logs.tail.epochs) this.#logs.toSettle.add(epoch);
	}
	/**
	* Does one slice of the work, in the transaction that is open. No log may be trimmed or removed in the same one.
	* `tail.commit` or `tail.rollback` must follow.
	*/
	doSlice() {
		const { tail, toSettle } = this.#logs;
		if (toSettle.size === 0 && tail.rowCount > this.#options.maxTailRows) this.settleAll();
		if (toSettle.size > 0) this.#settle();
		else if (this.#hasMoved) this.#deleteMoved();
		else this.#deleteRemoved();
	}
	#settle() {
		const { toSettle } = this.#logs;
		let left = this.#options.sliceEntries;
		for (const epoch of toSettle) {
			if (left <= 0) break;
			const count = this.#logs.settle(epoch, left);
			if (count < left) toSettle.delete(epoch);
			left -= count;
		}
		this.#hasMoved = true;
	}
	/** Deletes the oldest rows of the tail, up to the first one that somebody still needs. */
	#deleteMoved() {
		const slice = 4 * this.#options.sliceEntries;
		const { tail } = this.#logs;
		const count = (tail.oldestArrival() ?? tail.lastArrival + 1) - 1 - this.#deletedUpTo;
		const isWorthIt = count >= slice || count > 0 && tail.rowCount === 0;
		if (isWorthIt) {
			this.#deletedUpTo += Math.min(count, slice);
			this.#prepare("delete from log_tail where arrival <= ?").run(this.#deletedUpTo);
		}
		this.#hasMoved = isWorthIt && count > slice;
	}
	#deleteRemoved() {
		const removal = this.#prepare("select epoch, up_to from log_removals limit 1").get();
		if (removal === void 0) {
			this.#logs.hasRemovals = false;
			return;
		}
		const epoch = String(removal["epoch"]);
		const found = this.#prepare("select min(seq) as seq from log_entries where epoch = ?").get(epoch);
		const first = Number(found?.["seq"] ?? Number.POSITIVE_INFINITY);
		const upTo = Number(removal["up_to"]);
		if (first > upTo) {
			this.#prepare("delete from log_removals where epoch = ?").run(epoch);
			this.#hasMoved = true;
		} else {
			const last = Math.min(upTo, first + this.#options.sliceEntries - 1);
			this.#prepare("delete from log_entries where epoch = ? and seq <= ?").run(epoch, last);
		}
	}
};
// packages/store/src/sqlite/tail-index.ts
/**
* Knows in memory where the entries of each log are in the tail. The tail has no index on disk, because every append
* would then write to a page of its own log.
*
* A change counts when its transaction is committed: `commit` applies what was changed since, `rollback` drops it.
*/
var TailIndex = class {
	#logs = /* @__PURE__ */ new Map();
	#staged = [];
	#rowCount = 0;
	/** The newest row that is committed, or was found when the database was opened. */
	lastArrival = 0;
	/** The number of rows whose entries are only in the tail. */
	get rowCount() {
		return this.#rowCount;
	}
	/** The logs that have entries in the tail. The one whose entries are there for longest is not always the first. */
	get epochs() {
		return this.#logs.keys();
	}
	/** A row was added at the end of a log. */
	append(epoch, row) {
		this.#staged.push({
			type: "append",
			epoch,
			row
		});
	}
	/** The first so many rows of a log are no longer needed: their entries are elsewhere now. */
	settle(epoch, rows) {
		this.#staged.push({
			type: "settle",
			epoch,
			rows
		});
	}
	/** The log was removed. */
	forget(epoch) {
		this.#staged.push({
			type: "forget",
			epoch
		});
	}
	/** Returns the rows of a log, oldest first. */
	rowsOf(epoch) {
		return this.#logs.get(epoch) ?? [];
	}
	/** Returns the rows of a log that have entries after a number. */
	rowsAfter(epoch, after) {
		const rows = this.rowsOf(epoch);
		let low = 0;
		let high = rows.length;
		while (low < high) {
			const middle = low + high >>> 1;
			if (lastOf(rows[middle]) > after) high = middle;
			else low = middle + 1;
		}
		return rows.slice(low);
	}
	/** Returns the number of the last entry of a log; 0 when it has none in the tail. */
	lastIn(epoch) {
		return lastOf(this.rowsOf(epoch).at(-1));
	}
	/** Returns the smallest `arrival` that is still needed; `undefined` when none is. */
	oldestArrival() {
		let oldest;
		for (const [first] of this.#logs.values()) if (first !== void 0 && (oldest === void 0 || first.arrival < oldest)) oldest = first.arrival;
		return oldest;
	}
	/** Returns how many changes wait for the commit, for `rollback`. */
	get stagedCount() {
		return this.#staged.length;
	}
	commit() {
		for (const change of this.#staged) this.#apply(change);
		this.#staged = [];
	}
	/** Drops the changes after the first `count` of those that wait; by default all. */
	rollback(count = 0) {
		this.#staged.length = count;
	}
	#apply(change) {
		const { epoch } = change;
		const rows = this.#logs.get(epoch) ?? [];
		switch (change.type) {
			case "append":
				rows.push(change.row);
				this.#logs.set(epoch, rows);
				this.#rowCount += 1;
				this.lastArrival = change.row.arrival;
				return;
			case "settle":
				this.#rowCount -= rows.splice(0, change.rows).length;
				if (rows.length === 0) this.#logs.delete(epoch);
				return;
			case "forget":
				this.#rowCount -= rows.length;
				this.#logs.delete(epoch);
		}
	}
};
function lastOf(row) {
	return row === void 0 ? 0 : row.first + row.count - 1;
}
// packages/store/src/sqlite/log-tables.ts
/** A page of entries ends when it has so many characters of JSON. Others wait while a page is read and encoded. */
var maxPageChars = 131072;
/**
* The logs, in the thread of the database.
*
* New entries of all logs go into one table, `log_tail`, in the order in which they come. So a commit writes few pages,
* however many logs it is about. Later the entries are moved to `log_entries`, where those of one log are together. The
* column `logs.seq` says up to which number they were moved: later ones are in the tail. So every entry is read once.
*/
var LogTables = class {
	tail = new TailIndex();
	/** The logs whose entries are to be moved, because no more will come soon. */
	toSettle = /* @__PURE__ */ new Set();
	/** Whether entries of removed or trimmed logs may be left to delete. */
	hasRemovals = true;
	#prepare;
	#lastArrival = 0;
	constructor(prepare) {
		this.#prepare = prepare;
		this.#load();
	}
	/** Does the work, in the transaction that is open. `tail.commit` or `tail.rollback` must follow. */
	perform(work) {
		switch (work.type) {
			case "append":
				this.#append(work);
				return [];
			case "acquire": return [this.#withTail(this.#prepare(acquireSql).all(work.log, work.newEpoch))];
			case "open":
				this.#prepare(openSql).run(work.log, work.newEpoch);
				return [this.#find(work.log)];
			case "find": return [this.#find(work.log)];
			case "read-entries": return [this.#read(work)];
			case "settle":
				this.toSettle.add(work.epoch);
				return [];
			case "trim":
				this.#trim(work.log, work.upTo);
				return [];
			case "remove":
				this.#remove(work.log);
				return [];
		}
	}
	/**
	* Moves entries of a log from the tail to `log_entries`, whole appends, until there are `maxEntries` or more. Their
	* rows in the tail stay for now, but nobody reads them any more. Returns how many were moved. Not to be called twice
	* for one log in one transaction.
	*/
	settle(epoch, maxEntries) {
		const rows = this.tail.rowsOf(epoch);
		let count = 0;
		let last = 0;
		let taken = 0;
		for (const row of rows) {
			if (count >= maxEntries) break;
			for (const entry of this.#entriesOf(row)) this.#insert(epoch, entry);
			count += row.count;
			last = row.first + row.count - 1;
			taken += 1;
		}
		if (taken === 0) return 0;
		this.#prepare("update logs set seq = ? where epoch = ?").run(last, epoch);
		this.tail.settle(epoch, taken);
		return count;
	}
	#append({ epochs, firsts, counts, ats, bodies }) {
		const insert = this.#prepare(appendSql);
		for (const [index, epoch] of epochs.entries()) {
			const arrival = this.#lastArrival + 1;
			const first = firsts[index] ?? 0;
			const count = counts[index] ?? 0;
			insert.run(arrival, epoch, first, count, ats[index] ?? 0, bodies[index] ?? "");
			this.#lastArrival = arrival;
			this.tail.append(epoch, {
				arrival,
				first,
				count
			});
		}
	}
	#find(log) {
		return this.#withTail(this.#prepare(findSql).all(log));
	}
	/** Returns the row of a log with the number of its last entry, which may be in the tail. */
	#withTail(rows) {
		return rows.map((row) => ({
			...row,
			seq: Math.max(Number(row["seq"]), this.tail.lastIn(String(row["epoch"])))
		}));
	}
	#read({ epoch, after, limit }) {
		const found = [];
		let chars = 0;
		for (const row of this.#entriesAfter(epoch, after)) {
			if (found.length === limit || chars > maxPageChars) break;
			found.push(row);
			chars += String(row["chunk"]).length;
		}
		return found;
	}
	*#entriesAfter(epoch, after) {
		const [firstInTail] = this.tail.rowsOf(epoch);
		if (firstInTail === void 0 || after + 1 < firstInTail.first) yield* this.#prepare(readSql).iterate(epoch, after);
		for (const row of this.tail.rowsAfter(epoch, after)) for (const entry of this.#entriesOf(row)) if (Number(entry["seq"]) > after) yield entry;
	}
	#entriesOf({ arrival, first }) {
		const row = this.#prepare("select at, body from log_tail where arrival = ?").get(arrival);
		return row === void 0 ? [] : decodeEntries(String(row["body"]), {
			first,
			at: Number(row["at"])
		});
	}
	#insert(epoch, entry) {
		const { seq, at, run_id, message_id, chunk, crc } = entry;
		this.#prepare(insertSql).run(epoch, Number(seq), Number(at), String(run_id), String(message_id), String(chunk), Number(crc));
	}
	#trim(log, upTo) {
		const [row] = this.#find(log);
		if (row === void 0 || upTo <= Number(row["trimmed"])) return;
		const epoch = String(row["epoch"]);
		const trimmed = Math.min(upTo, Number(row["seq"]));
		this.settle(epoch, Number.POSITIVE_INFINITY);
		this.#prepare("update logs set trimmed = ? where name = ?").run(trimmed, log);
		this.#prepare(removeSql).run(epoch, trimmed);
		this.hasRemovals = true;
	}
	#remove(log) {
		const [row] = this.#find(log);
		if (row === void 0) return;
		const epoch = String(row["epoch"]);
		this.#prepare("delete from logs where name = ?").run(log);
		this.#prepare(removeSql).run(epoch, Number.MAX_SAFE_INTEGER);
		this.tail.forget(epoch);
		this.hasRemovals = true;
	}
	/** Reads where the entries are that the process before this one left in the tail. */
	#load() {
		const settled = /* @__PURE__ */ new Map();
		for (const { epoch, seq } of this.#prepare(settledSql).iterate()) settled.set(epoch, Number(seq));
		for (const { arrival, epoch, seq, count } of this.#prepare(tailSql).iterate()) {
			const row = {
				arrival: Number(arrival),
				first: Number(seq),
				count: Number(count)
			};
			this.#lastArrival = row.arrival;
			const settledSeq = settled.get(epoch);
			if (settledSeq !== void 0 && row.first > settledSeq) this.tail.append(String(epoch), row);
		}
		this.tail.commit();
		this.tail.lastArrival = this.#lastArrival;
	}
};
var acquireSql = `insert into logs (name, epoch, fence, seq) values (?, ?, 1, 0)
  on conflict (name) do update set fence = fence + 1 returning epoch, fence, seq, trimmed`;
var openSql = "insert into logs (name, epoch, fence, seq) values (?, ?, 0, 0) on conflict (name) do nothing";
var findSql = "select epoch, fence, seq, trimmed from logs where name = ?";
var appendSql = "insert into log_tail (arrival, epoch, seq, count, at, body) values (?, ?, ?, ?, ?, ?)";
var insertSql = `insert into log_entries (epoch, seq, at, run_id, message_id, chunk, crc)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict (epoch, seq) do nothing`;
var readSql = `select seq, at, run_id, message_id, chunk, crc from log_entries
  where epoch = ? and seq > ? order by seq`;
var removeSql = "insert into log_removals (epoch, up_to) values (?, ?) on conflict (epoch) do update set up_to = excluded.up_to";
var settledSql = "select epoch, seq from logs where epoch in (select epoch from log_tail)";
var tailSql = "select arrival, epoch, seq, count from log_tail order by arrival";
// packages/store/src/sqlite/prepare-once.ts
/** Prepares statements of a database, each one once. */
function prepareOnce(database) {
	const prepared = /* @__PURE__ */ new Map();
	return (sql) => {
		const known = prepared.get(sql) ?? database.prepare(sql);
		prepared.set(sql, known);
		return known;
	};
}
// packages/store/src/sqlite/run-statement.ts
/** Runs a statement once for each set of its parameters. Returns all rows. */
function runStatement(prepare, { sql, sets, mustChange }) {
	const prepared = prepare(sql);
	const rows = [];
	let changes = 0;
	for (const parameters of sets) if (prepared.columns().length > 0) {
		const found = prepared.all(...parameters);
		for (const row of found) rows.push(row);
		changes += found.length;
	} else changes += Number(prepared.run(...parameters).changes);
	if (mustChange === true && changes === 0) throw new SqlError("no-effect", "The transaction was undone: a statement that had to change a row did not.");
	return rows;
}
// packages/store/src/sqlite/group-commit.ts
/**
* When no entry was appended for so long, the entries in the tail are moved to their own layout, and free pages are
* looked for.
*/
var quietMs = 1e3;
/** For so long reads may go on while writes wait, in milliseconds. */
var maxReadMs = 4;
/**
* Runs the jobs of all chats. All jobs that wait run in one transaction, with one fsync. A job that fails does not undo
* the others. Results are sent after the commit: first those of the writes, then those of the reads.
*/
var GroupCommit = class {
	#database;
	#prepare;
	#logs;
	#chores;
	#freePages;
	#reply;
	#waiting = [];
	#next;
	#isClosed = false;
	#isHeld = false;
	/** Chores have failed, for example because the disk is full. They are tried again later. */
	#isPaused = false;
	/** Something was written since the last look at the free pages. */
	#hasWritten = false;
	#quiet;
	constructor(database, reply, options = {}) {
		this.#database = database;
		this.#reply = reply;
		this.#prepare = prepareOnce(database);
		this.#logs = new LogTables(this.#prepare);
		this.#chores = new LogChores(this.#prepare, this.#logs, options);
		this.#freePages = new FreePages(database, options);
		this.#rest();
	}
	add(jobs) {
		for (const job of jobs) this.#waiting.push(job);
		this.#schedule();
	}
	/**
	* Does work that must not meet a transaction. Meanwhile jobs run only when the work calls `drain`, or after its end.
	*/
	async whileHeld(work) {
		this.#isHeld = true;
		clearImmediate(this.#next);
		this.#next = void 0;
		try {
			await work(() => {
				if (!this.#isClosed) this.drain();
			});
		} finally {
			this.#isHeld = false;
			if (!this.#isClosed) this.#schedule();
		}
	}
	/** Runs what waits, and does nothing more afterwards. */
	close() {
		this.#isClosed = true;
		this.drain();
		clearTimeout(this.#quiet);
		clearImmediate(this.#next);
	}
	/** Runs the jobs that wait, and a slice of the chores. */
	drain() {
		const jobs = this.#waiting;
		this.#waiting = [];
		const writes = jobs.filter((job) => job.type === "write");
		const results = this.#commit(writes);
		if (results.length > 0) this.#reply(results);
		this.#read(jobs.filter((job) => job.type !== "write"));
		this.#rest();
	}
	/** Runs jobs that read, for a few milliseconds. The rest waits for the next turn, after the writes that come meanwhile. */
	#read(jobs) {
		const results = [];
		const end = performance.now() + maxReadMs;
		for (const job of jobs) {
			if (performance.now() > end && !this.#isClosed) break;
			results.push(this.#attempt(job.id, () => this.#perform(job.work)));
		}
		if (results.length > 0) this.#reply(results);
		if (results.length === jobs.length) return;
		this.#waiting = [...jobs.slice(results.length), ...this.#waiting];
		this.#schedule();
	}
	/** Goes on with the chores, now or when no entries come any more. */
	#rest() {
		if (this.#isClosed) return;
		if (this.#isPaused) this.#startQuietTimer();
		else if (this.#hasChores) this.#schedule();
		else if (this.#logs.tail.rowCount > 0 || this.#hasWritten) this.#startQuietTimer();
	}
	get #hasChores() {
		return this.#chores.isWaiting || this.#freePages.isWaiting;
	}
	#startQuietTimer() {
		const { lastArrival } = this.#logs.tail;
		this.#quiet ??= setTimeout(() => {
			this.#quiet = void 0;
			this.#isPaused = false;
			if (lastArrival === this.#logs.tail.lastArrival && !this.#isHeld) this.#useQuiet();
			this.#rest();
		}, quietMs);
	}
	#useQuiet() {
		this.#chores.settleAll();
		this.#hasWritten = false;
		this.#attempt(0, () => {
			this.#freePages.look();
			this.#freePages.shortenFile();
			return [];
		});
	}
	#schedule() {
		if (this.#isHeld) return;
		this.#next ??= setImmediate(() => {
			this.#next = void 0;
			this.drain();
		});
	}
	#commit(jobs) {
		const isTidying = jobs.some(({ work }) => "type" in work && tidying.has(work.type));
		const hasChores = this.#hasChores && !isTidying && !this.#isPaused;
		if (jobs.length === 0 && !hasChores) return [];
		try {
			this.#prepare("begin immediate").run();
			const results = jobs.map((job) => this.#attemptWrite(job));
			if (hasChores) this.#doChores();
			this.#prepare("commit").run();
			this.#logs.tail.commit();
			this.#hasWritten = true;
			return results;
		} catch (error) {
			if (this.#database.isTransaction) this.#database.exec("rollback");
			this.#logs.tail.rollback();
			this.#isPaused = hasChores;
			return jobs.map(({ id }) => ({
				type: "failed",
				id,
				...describeError(error)
			}));
		}
	}
	#attemptWrite({ id, work }) {
		if ("type" in work && work.type === "append") return {
			type: "done",
			id,
			rows: this.#logs.perform(work)
		};
		return this.#attemptInSavepoint(id, () => this.#perform(work));
	}
	/** Does a slice of the chores, in the transaction of the jobs. When it fails, the jobs do not. */
	#doChores() {
		const { type } = this.#attemptInSavepoint(0, () => {
			this.#doSlice();
			return [];
		});
		this.#isPaused = type === "failed";
	}
	#doSlice() {
		if (!this.#chores.isWaiting) return this.#freePages.giveBack();
		const { hasRemovals } = this.#logs;
		this.#chores.doSlice();
		if (hasRemovals && !this.#logs.hasRemovals) this.#freePages.look();
	}
	#attemptInSavepoint(id, perform) {
		this.#database.exec("savepoint job");
		const { stagedCount } = this.#logs.tail;
		const result = this.#attempt(id, perform);
		if (result.type === "failed") {
			if (!this.#database.isTransaction) throw new SqlError(result.code, result.message);
			this.#database.exec("rollback to job");
			this.#logs.tail.rollback(stagedCount);
		}
		this.#database.exec("release job");
		return result;
	}
	#attempt(id, perform) {
		try {
			return {
				type: "done",
				id,
				rows: perform()
			};
		} catch (error) {
			return {
				type: "failed",
				id,
				...describeError(error)
			};
		}
	}
	#perform(work) {
		if (!("type" in work)) return work.map((statement) => runStatement(this.#prepare, statement));
		if (work.type !== "compact") return this.#logs.perform(work);
		compactDatabase(this.#database, {
			logs: this.#logs,
			chores: this.#chores
		});
		return [];
	}
};
/** Work that moves or deletes entries itself, so that no chore may do it at the same time. */
var tidying = /* @__PURE__ */ new Set(["trim", "remove"]);
// packages/store/src/sqlite/serve-database.ts
/**
* Opens a database, and does what comes through the port until it is closed. An fsync blocks its thread, and all jobs
* that come meanwhile share the next fsync.
*/
function serveDatabase(port, path) {
	const reply = (message) => port.postMessage(message);
	try {
		const database = openDatabase(path);
		const commits = new GroupCommit(database, (results) => reply({
			type: "jobs",
			results
		}));
		port.on("message", (request) => {
			if (request.type === "jobs") return commits.add(request.jobs);
			if (request.type === "backup") return void backUp(request.id, request.path);
			commits.close();
			database.close();
			port.close();
		});
		const backUp = async (id, path) => {
			const result = await backupDatabase(database, path, commits).then(() => ({
				type: "done",
				id,
				rows: []
			}), (error) => ({
				type: "failed",
				id,
				...describeError(error)
			}));
			reply({
				type: "jobs",
				results: [result]
			});
		};
		reply({ type: "open" });
	} catch (error) {
		const { code, message } = describeError(error);
		reply({
			type: "broken",
			code,
			message
		});
		port.close();
	}
}
// packages/store/src/sqlite/thread.ts
if (parentPort !== null) {
	serveDatabase(parentPort, String(workerData));
	giveMemoryBack({ minGrowthBytes: 8388608 });
}
export {};
