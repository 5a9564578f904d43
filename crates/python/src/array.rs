//! Many numbers: an array that Python sees through the buffer protocol, so that `numpy.asarray` and `memoryview` share its memory.

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int, c_void};
use std::sync::Arc;

/// The numbers, which are never changed.
#[derive(Clone)]
pub enum Numbers {
    /// Truth values, as bytes.
    Bool(Arc<[bool]>),
    /// Small counts.
    U8(Arc<[u8]>),
    /// Positions.
    U32(Arc<[u32]>),
    /// Positions in large arrays.
    U64(Arc<[u64]>),
    /// Positions with -1 for none.
    I32(Arc<[i32]>),
    /// Logarithms of probabilities.
    F32(Arc<[f32]>),
    /// Statistics and sums.
    F64(Arc<[f64]>),
}

/// An array of numbers, read-only: `numpy.asarray(array)` and `memoryview(array)` share its memory.
#[pyclass(frozen, module = "treeglot")]
pub struct Array {
    numbers: Numbers,
    /// Of one or two dimensions, and how many bytes it is to the next row and to the next number.
    shape: Box<[isize]>,
    strides: Box<[isize]>,
}

impl Array {
    /// A row of numbers.
    pub fn new(numbers: Numbers) -> Self {
        let length = numbers.len() as isize;
        let size = numbers.item_size() as isize;
        Self { numbers, shape: [length].into(), strides: [size].into() }
    }

    /// Rows of so many numbers each.
    pub fn rows(numbers: Numbers, width: usize) -> Self {
        let (rows, size) = ((numbers.len() / width.max(1)) as isize, numbers.item_size() as isize);
        let width = width as isize;
        Self { numbers, shape: [rows, width].into(), strides: [width * size, size].into() }
    }

    /// The numbers.
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }
}

impl Numbers {
    fn parts(&self) -> (*const c_void, usize, usize, &'static CStr) {
        fn of<T>(values: &[T], code: &'static CStr) -> (*const c_void, usize, usize, &'static CStr) {
            (values.as_ptr().cast(), values.len(), size_of::<T>(), code)
        }
        match self {
            Self::Bool(values) => of(values, c"?"),
            Self::U8(values) => of(values, c"B"),
            Self::U32(values) => of(values, c"I"),
            Self::U64(values) => of(values, c"Q"),
            Self::I32(values) => of(values, c"i"),
            Self::F32(values) => of(values, c"f"),
            Self::F64(values) => of(values, c"d"),
        }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.parts().1
    }

    fn item_size(&self) -> usize {
        self.parts().2
    }
}

#[pymethods]
impl Array {
    /// The number of rows and, of a table, of columns.
    #[getter]
    fn shape(&self) -> Vec<isize> {
        self.shape.to_vec()
    }

    fn __len__(&self) -> usize {
        self.shape[0] as usize
    }

    fn __repr__(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(isize::to_string).collect();
        let code = self.numbers.parts().3.to_string_lossy();
        format!("<treeglot.Array of {} numbers of type {code}>", shape.join(" × "))
    }

    #[expect(unsafe_code, reason = "the buffer protocol is a struct of pointers")]
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("the numbers cannot be changed: copy them"));
        }
        let array = slf.get();
        let (data, length, size, code) = array.numbers.parts();
        let asked = |flag: c_int| flags & flag == flag;
        // SAFETY: `view` is the struct that the interpreter gave to be filled. All pointers lead into the array, which is frozen
        // and which the view's reference keeps alive, or to constants; consumers must not write where `readonly` is set.
        unsafe {
            (*view).buf = data.cast_mut();
            (*view).len = (length * size) as isize;
            (*view).itemsize = size as isize;
            (*view).readonly = 1;
            (*view).ndim = array.shape.len() as c_int;
            (*view).format =
                if asked(ffi::PyBUF_FORMAT) { code.as_ptr().cast_mut() } else { std::ptr::null_mut() };
            (*view).shape =
                if asked(ffi::PyBUF_ND) { array.shape.as_ptr().cast_mut() } else { std::ptr::null_mut() };
            (*view).strides = if asked(ffi::PyBUF_STRIDES) {
                array.strides.as_ptr().cast_mut()
            } else {
                std::ptr::null_mut()
            };
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }
}
