"""A cluster of Slurm on this machine: munged, slurmctld and a slurmd for each node, in a folder of its own on free ports.

Debian's packages, which `contrib/needs test` unpacks into .build/slurm, or those that are installed. It runs as any user,
whose jobs are all that it takes.
"""

import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile

from stage import wait_until

UNPACKED = pathlib.Path(__file__).resolve().parents[2] / ".build/slurm"
# Debian keeps programs under names of their own and makes links to them only where it installs them.
PROGRAMS = {name: (name, name + "-wlm") for name in (
    "munged", "slurmctld", "slurmd", "slurmstepd", "sbatch", "scancel", "scontrol", "squeue", "sinfo")}

SLURM_CONF = """ClusterName=t
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
# A requeued task waits so long, or two minutes if this is less than five seconds.
AuthInfo=socket={folder}/munge.socket,cred_expire={requeue_delay}
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
PluginDir={plugins}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
# Each node has a disk of its own, as TMPDIR.
TaskProlog={folder}/task-prolog
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
StateSaveLocation={folder}/controller
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmctldPort={port}
ReturnToService=2
SlurmdTimeout={node_timeout}
KillWait=30
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
{nodes}
PartitionName=common Nodes=ALL Default=YES State=UP PriorityTier=1
PartitionName=urgent Nodes=ALL State=UP PriorityTier=2
"""


def found(name):
    """The path of a program of Slurm or munge: unpacked, or else installed; None if there is none."""
    for folder in (UNPACKED / "usr/bin", UNPACKED / "usr/sbin"):
        for spelling in PROGRAMS[name]:
            if (folder / spelling).exists():
                return str(folder / spelling)
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def missing():
    """Why there can't be a cluster here; None if there can."""
    lacking = [name for name in PROGRAMS if not found(name)]
    return f"no {', '.join(lacking)}: Slurm is neither in {UNPACKED} nor installed" if lacking else None


def free_ports(count):
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in taken]
    for server in taken:
        server.close()
    return ports


class Cluster:
    """Nodes n0, n1, … of so many CPUs; each task takes one. `close` ends all, whatever state it is in."""

    def __init__(self, nodes=4, cpus=2, requeue_delay=5, node_timeout=30):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="coursefetch-slurm-"))
        self.requeue_delay = requeue_delay
        self.daemons, self.nodes = {}, [f"n{index}" for index in range(nodes)]
        try:
            self.configure(cpus, requeue_delay, node_timeout)
            self.start("munged", "munged", "--foreground", "--force", f"--key-file={self.folder}/munge.key",
                       f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
                       f"--log-file={self.folder}/munge.log", f"--seed-file={self.folder}/munge.seed", "--num-threads=2")
            wait_until(lambda: (self.folder / "munge.socket").exists(), 10, self.logs)
            self.start("slurmctld", "slurmctld", "-D", "-f", self.configuration)
            for name in self.nodes:
                self.start_node(name)
            wait_until(lambda: self.states() == {"idle"}, 30, self.logs)
        except BaseException:
            self.close()
            raise

    def configure(self, cpus, requeue_delay, node_timeout):
        controller, *ports = free_ports(1 + len(self.nodes))
        host = socket.gethostname().split(".")[0]
        plugins = next((str(p) for p in UNPACKED.glob("usr/lib/*/slurm-wlm")), None)
        text = SLURM_CONF.format(
            host=host, folder=self.folder, port=controller, user=subprocess.check_output(["id", "-un"], text=True).strip(),
            requeue_delay=requeue_delay, node_timeout=node_timeout, plugins=plugins, nodes="\n".join(
                f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} RealMemory=1000"
                for name, port in zip(self.nodes, ports)))
        if not plugins:
            text = text.replace("PluginDir=None\n", "")
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(text)
        for folder in ("controller", *(f"{kind}/{name}" for kind in ("spool", "disk") for name in self.nodes)):
            (self.folder / folder).mkdir(parents=True)
        prolog = self.folder / "task-prolog"
        prolog.write_text(f'#!/bin/sh\necho "export TMPDIR={self.folder}/disk/$SLURMD_NODENAME"\n')
        prolog.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)

    def environment(self, **more):
        """For the programs of Slurm and for jobs, which take it over: PATH has Slurm's programs."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("COURSEFETCH_", "XDG_", "SLURM_", "SBATCH_"))}
        libraries = [str(p) for pattern in ("usr/lib/*", "usr/lib/*/slurm-wlm") for p in UNPACKED.glob(pattern)]
        if libraries:
            kept["LD_LIBRARY_PATH"] = ":".join(libraries)
        path = ":".join([str(pathlib.Path(found("sbatch")).parent), kept.get("PATH", os.defpath)])
        return {**kept, "PATH": path, "SLURM_CONF": str(self.configuration), **more}

    def start(self, key, program, *arguments):
        with open(self.folder / f"{key}.out", "ab") as out:
            self.daemons[key] = subprocess.Popen(
                [found(program), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                env=self.environment(), cwd=self.folder)

    def start_node(self, name):
        """Without what it had spooled: a task that finds its own script from before it was lost is held by Slurm."""
        for left in (self.folder / "spool" / name).iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        self.start(name, "slurmd", "-D", "-N", name, "-f", self.configuration, "-d", found("slurmstepd"))

    def kill_node(self, name):
        """The node's power goes: its slurmd and everything that it started, at once. Its disk stays."""
        daemon = self.daemons[name]
        daemon.kill()
        self.kill(self.processes(name))
        daemon.wait()

    @staticmethod
    def kill(processes):
        for pid in processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def processes(self, name):
        """Those of the node's jobs, parents first: a slurmstepd, which has left slurmd, and what it has started."""
        jobs = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                environment = (entry / "environ").read_bytes().split(b"\0") if entry.name.isdigit() else []
            except OSError:
                continue
            if {f"SLURM_CONF={self.configuration}".encode(), f"SLURMD_NODENAME={name}".encode()} <= set(environment):
                jobs.append(int(entry.name))
        return [*self.steps(jobs), *jobs]

    @staticmethod
    def steps(jobs):
        """The slurmstepd that have started these."""
        found = set()
        for pid in jobs:
            try:
                parent = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
                if pathlib.Path(f"/proc/{parent}/cmdline").read_bytes().startswith(b"slurmstepd"):
                    found.add(parent)
            except OSError:
                continue
        return sorted(found)

    def run(self, program, *arguments, exit=0, **more):
        program = program if isinstance(program, pathlib.Path) else found(program)
        done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              env=self.environment(**more), cwd=self.folder)
        assert exit is None or done.returncode == exit, f"{program} {arguments}: {done}\n{self.logs()}"
        return done.stdout

    def states(self):
        """How the nodes are: idle, mixed, allocated, drained, down …"""
        told = subprocess.run([found("sinfo"), "--noheader", "--Node", "--format=%T"], capture_output=True, text=True,
                              env=self.environment())
        return set(told.stdout.split())

    def tasks(self, job):
        """Task of the array to its state, of those that aren't over."""
        told = subprocess.run([found("squeue"), "--noheader", "--array", f"--jobs={job}", "--format=%K %T"],
                              capture_output=True, text=True, env=self.environment())
        # Of a job that is long over Slurm knows nothing.
        assert told.returncode == 0 or "Invalid job id" in told.stderr, told
        return dict(line.split() for line in told.stdout.splitlines())

    def logs(self):
        """The ends of what the daemons said, for a failure's message."""
        return "".join(f"{path.name}:\n{path.read_text(errors='replace')[-1500:]}\n"
                       for pattern in ("*.log", "*.out") for path in sorted(self.folder.glob(pattern)))

    def close(self):
        # Who starts others first.
        for daemon in reversed(self.daemons.values()):
            daemon.kill()
            daemon.wait()
        for name in self.nodes:
            self.kill(self.processes(name))
        shutil.rmtree(self.folder, ignore_errors=True)
