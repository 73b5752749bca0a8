//! Just enough linear algebra: symmetric positive definite systems.

/// A symmetric matrix, of which the lower half is kept.
#[derive(Clone, Debug)]
pub(super) struct Symmetric {
    size: usize,
    /// Row after row, full rows.
    cells: Vec<f64>,
}

/// The lower triangle L of a matrix L Lᵀ.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    size: usize,
    cells: Vec<f64>,
}

impl Symmetric {
    pub(super) fn diagonal(diagonal: &[f64]) -> Symmetric {
        let size = diagonal.len();
        let mut cells = vec![0.0; size * size];
        for (at, value) in diagonal.iter().enumerate() {
            cells[at * size + at] = *value;
        }
        Symmetric { size, cells }
    }

    /// Adds to a cell of the lower half.
    pub(super) fn add(&mut self, row: usize, col: usize, value: f64) {
        self.cells[row * self.size + col] += value;
    }

    /// Cholesky's factor; nothing where the matrix is not positive definite.
    pub(super) fn factor(mut self) -> Option<Factor> {
        let size = self.size;
        for row in 0..size {
            let (above, own) = self.cells.split_at_mut(row * size);
            for col in 0..row {
                let other = &above[col * size..=col * size + col];
                own[col] = (own[col] - dot(&own[..col], &other[..col])) / other[col];
            }
            let rest = own[row] - dot(&own[..row], &own[..row]);
            if rest.is_nan() || rest <= 0.0 {
                return None;
            }
            own[row] = rest.sqrt();
        }
        Some(Factor { size, cells: self.cells })
    }
}

impl Factor {
    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.size..=row * self.size + row]
    }

    /// Turns b into the solution x of L Lᵀ x = b.
    pub(super) fn solve(&self, right: &mut [f64]) {
        for at in 0..self.size {
            let row = self.row(at);
            right[at] = (right[at] - dot(&row[..at], &right[..at])) / row[at];
        }
        for at in (0..self.size).rev() {
            let row = self.row(at);
            let value = right[at] / row[at];
            right[at] = value;
            for (cell, other) in row[..at].iter().zip(&mut right[..at]) {
                *other -= cell * value;
            }
        }
    }

    /// A cell of the diagonal of the inverse of L Lᵀ.
    pub(super) fn variance(&self, at: usize) -> f64 {
        // Only the rows from this one on are not 0 in the column of the inverse of L.
        let mut column = vec![0.0; self.size];
        for row in at..self.size {
            let cells = self.row(row);
            let right = if row == at { 1.0 } else { 0.0 };
            column[row] = (right - dot(&cells[at..row], &column[at..row])) / cells[row];
        }
        dot(&column, &column)
    }

    /// The product of the factor with a vector.
    pub(super) fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size).map(|at| dot(self.row(at), &vector[..=at])).collect()
    }
}

/// The inner product, in four sums at once: the processor adds them side by side.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (ones, others) = (one.chunks_exact(4), other.chunks_exact(4));
    let rest: f64 = ones.remainder().iter().zip(others.remainder()).map(|(one, other)| one * other).sum();
    for (one, other) in ones.zip(others) {
        for at in 0..4 {
            sums[at] += one[at] * other[at];
        }
    }
    rest + sums[0] + sums[1] + sums[2] + sums[3]
}
